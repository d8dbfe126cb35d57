import type { PriceTable } from "../core/money/prices.ts";
import type { ModelApi } from "./agent.ts";

/**
 * The model gateway of one command: a reverse proxy beside the supervisor that holds the key, adds it, counts tokens as they
 * pass, and refuses what could pass the limit. Inside it is a port of loopback.
 */
export interface GatewayPlan {
  readonly api: ModelApi;
  /** Where the model is, such as `https://api.anthropic.com`; a path is kept in front of what the CLI asks for. */
  readonly upstream: string;
  /** Which of the job's keys it adds. */
  readonly keyName: string;
  /** `api_key`: as the API's own header. `token`: as a bearer token (a long-lived set-up token of a subscription). */
  readonly keyKind: "api_key" | "token";
  /** What the CLI has to send as its key: others inside do not know it. Not a secret outside of the run. */
  readonly nonce: string;
  readonly limitUsd: number | null;
  readonly limitTokens: number | null;
  readonly prices: PriceTable;
}
