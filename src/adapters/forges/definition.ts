import type { ForgeAddress, ForgeSite } from "../../core/forge/forge-address.ts";
import type { ForgeKind, OwnSettings } from "../../core/settings/kinds.ts";
import type { ChangeRequestDraft, HookCall } from "../../ports/forge.ts";
import type { ForgeMessageContext } from "./shared/answers.ts";
import type { Exchange } from "./shared/exchange.ts";
import type { ForgeVerbs, People } from "./shared/verbs.ts";

/** Everything that Nightshift knows about one kind of forge. */
export interface ForgeDefinition extends ForgeKind {
  /** Its name for people. */
  readonly name: string;
  /** Its addresses, and how a git remote maps to a project there. */
  readonly site: ForgeSite;
  /** The user name that goes with the token where git logs in. */
  readonly gitUser: string;
  /** What the token must be allowed to do, for messages. */
  readonly neededRights: string;
  /** The forge's own program, for an agent that publishes. */
  readonly cli: ForgeCli;
  /** Whether the sender of a webhook call knows the secret. */
  isFromForge(secret: string, call: HookCall): Promise<boolean>;
  /** The API client; its `check` is what `doctor` asks. */
  create(options: ForgeApiOptions): ForgeVerbs;
  /** Rows of the table of tokens in docs/forges.md: kind of token, its rights. */
  readonly docs: readonly (readonly [token: string, rights: string])[];
}

export interface ForgeCli {
  readonly program: string;
  /** The variable that the program reads the token from. */
  tokenVariable(address: ForgeAddress): string;
  /** What it needs besides; nothing secret. */
  env(address: ForgeAddress): Readonly<Record<string, string>>;
  /** The command that opens a change request. `quote` makes a text one word of a shell. */
  openCommand(request: OpenRequest, quote: (text: string) => string): string;
}

export interface OpenRequest extends Pick<ChangeRequestDraft, "branch" | "target" | "title"> {
  readonly address: ForgeAddress;
  readonly project: string;
}

export interface ForgeApiOptions {
  readonly api: string;
  readonly token: string;
  readonly voice: ForgeMessageContext;
  readonly exchange: Exchange;
  /** The project's path at the forge. */
  readonly project: string;
  readonly people: People;
  readonly pause: (ms: number) => Promise<void>;
  /** The keys of `forge` that only this kind has. */
  readonly options: OwnSettings;
}
