import type { ForgeAddress, ForgeSite } from "../../core/forge/forge-address.ts";
import type { ForgeKind } from "../../core/settings/kinds.ts";
import type { ForgeSettings } from "../../core/settings/settings.ts";
import type { ChangeRequestDraft, Forge, HookCall, IssuedGateway } from "../../ports/forge.ts";
import type { ForgeGatewayPlan } from "../../ports/gateway.ts";
import type { ForgeMessageContext } from "./shared/responses.ts";
import type { Exchange } from "./shared/exchange.ts";

/** Describes one kind of forge. */
export interface ForgeDefinition extends ForgeKind {
  /** Display name. */
  readonly name: string;
  /** URLs of the forge, and how a git remote maps to a project there. */
  readonly site: ForgeSite;
  /** The user name that git sends with the token. */
  readonly gitUser: string;
  /** The permissions that the token needs, for messages. */
  readonly neededRights: string;
  /** The forge's CLI, used by agents that publish. */
  readonly cli: ForgeCli;
  /** Checks that the sender of a webhook request knows the secret. */
  isFromForge(secret: string, call: HookCall): Promise<boolean>;
  /** Creates the API client. `doctor` calls its `check`. */
  create(options: ForgeApiOptions): ForgeApi;
  /** Rows of the token table in docs/forges.md. */
  readonly docs: readonly (readonly [token: string, rights: string])[];
}

export interface ForgeCli {
  readonly program: string;
  /** Arguments that make the program print the token of the user's own login. */
  loginArgs?(address: ForgeAddress): readonly string[];
  /** The environment variable that the program reads the token from. */
  tokenVariable(address: ForgeAddress): string;
  /** Other environment variables it needs. Contains no secrets. */
  env(address: ForgeAddress): Readonly<Record<string, string>>;
  /** How the program uses the forge gateway. Without it, the gateway serves git only. */
  readonly gateway?: CliGateway;
  /** The command that opens a change request. `quote` quotes an argument for the shell. */
  openCommand(request: OpenRequest, quote: (text: string) => string): string;
}

export interface CliGateway {
  /** Decides which requests of the API the gateway allows. */
  readonly api: NonNullable<ForgeGatewayPlan["api"]>;
  /** Environment variables and files that point the program to the gateway. */
  configure(target: GatewayTarget): Pick<IssuedGateway, "env" | "files">;
}

/** Where the program finds the gateway inside the sandbox. */
export interface GatewayTarget {
  readonly address: ForgeAddress;
  readonly project: string;
  readonly url: string;
  readonly socket: string;
  readonly filesDir: string;
}

export interface OpenRequest extends Pick<ChangeRequestDraft, "branch" | "target" | "title"> {
  readonly address: ForgeAddress;
  readonly project: string;
}

/** The methods that every kind of forge implements itself. */
export type ForgeApi = Pick<
  Forge,
  | "publish"
  | "find"
  | "listOpen"
  | "read"
  | "readState"
  | "readCiFailures"
  | "hasWriteAccess"
  | "readIssue"
  | "merge"
  | "close"
  | "postReview"
  | "check"
>;

/** The people named in the project's settings. */
export type People = Pick<ForgeSettings, "reviewer" | "assignee">;

export interface ForgeApiOptions {
  readonly api: string;
  readonly token: string;
  readonly context: ForgeMessageContext;
  readonly exchange: Exchange;
  /** Path of the project at the forge. */
  readonly project: string;
  readonly people: People;
  readonly pause: (ms: number) => Promise<void>;
}
