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

/**
 * The forge gateway of one command: a reverse proxy beside the supervisor that adds the forge's token to requests about one
 * project, and refuses all others. The token never enters the sandbox.
 */
export interface ForgeGatewayPlan {
  /** Decides which requests of the API are allowed. Null allows none. */
  readonly api: "github" | "gitlab" | null;
  /** Base URL of the web pages and of git. */
  readonly web: string;
  readonly apiUrl: string;
  /** Path of the only project that requests may be about. */
  readonly project: string;
  /** The user name that git sends with the token. */
  readonly gitUser: string;
  /** Name of the job's key to add. */
  readonly keyName: string;
  /** The only branches that can be pushed have this name, or start with it and a dash. */
  readonly branch: string;
  /** Never pushed, whatever the name of the task's branch is. */
  readonly defaultBranch: string | null;
}
