import type { PriceTable } from "../core/money/prices.ts";
import type { ModelApi } from "./agent.ts";

/**
 * The model gateway of one command: a reverse proxy beside the supervisor that adds the API key, counts tokens, and rejects
 * requests that could exceed the limit. Inside the sandbox it is a loopback port.
 */
export interface GatewayPlan {
  readonly api: ModelApi;
  /** The model's base URL, such as `https://api.anthropic.com`. A path is put in front of the CLI's request path. */
  readonly upstream: string;
  /** Name of the job's key to add. */
  readonly keyName: string;
  /** `api_key`: sent in the API's own header. `token`: sent as a bearer token (a long-lived set-up token of a subscription). */
  readonly keyKind: "api_key" | "token";
  /** What the CLI must send as its key; other processes inside do not know it. Not a secret outside the run. */
  readonly nonce: string;
  readonly limitUsd: number | null;
  readonly limitTokens: number | null;
  readonly prices: PriceTable;
}
