import { UserError } from "../../core/text/errors.ts";
import { escapedLine, escapedText } from "../../core/text/terminal-text.ts";
import type { Client, PendingTrustJson, ProjectJson } from "../../http/client/client.ts";
import { confirm } from "../ask.ts";
import type { CliContext } from "../context.ts";
import { wrapLines } from "../print/terminal/fit-text.ts";
import { paint } from "../print/terminal/style.ts";

export interface ProjectLocation {
  readonly path: string | null;
  readonly url: string | null;
}

export interface AcceptOptions {
  readonly location: ProjectLocation;
  /** This command has just generated nightshift.yaml, so it needs no confirmation. */
  readonly generated: boolean;
  readonly yes: boolean;
}

export interface AcceptResult {
  readonly project: ProjectJson;
  readonly pending: PendingTrustJson;
  readonly accepted: boolean;
}

/** Registers the project. Permissions that its files request take effect only after a person has seen and accepted them. */
export async function acceptFiles(
  context: CliContext,
  client: Client,
  { location, generated, yes }: AcceptOptions,
): Promise<AcceptResult> {
  const { project, pending } = await client.call("POST /projects", { body: { ...location, accept: null } });
  if (pending.changes.length === 0) return { project, pending, accepted: true };
  if (!generated || pending.changes.some(({ key }) => isRepositoryFile(key))) {
    if (!yes && !context.json) context.progress(describe(context, pending));
    if (!yes && !(await confirmAccept(context))) return { project, pending, accepted: false };
  }
  const done = await client.call("POST /projects", { body: { ...location, accept: pending.hash } });
  return { project: done.project, pending, accepted: true };
}

/** Prompts, instructions and pipelines come with the repository. Nightshift never generates them. */
function isRepositoryFile(key: string): boolean {
  return key.startsWith(".nightshift/");
}

function describe(context: CliContext, { changes }: PendingTrustJson): string {
  const lines = changes.flatMap(({ key, accepted, wanted }) => [
    paint(context, "bold", escapedLine(key)),
    ...(isRepositoryFile(key) ? [`  ${describeFileChange(accepted, wanted)}`] : compare(context, accepted, wanted)),
    ...(key === "sandbox.write" && wanted !== null ? [`  ${WRITE_ACCESS}`] : []),
  ]);
  return `The project's files request these permissions:\n${lines.join("\n")}\n`;
}

/** The name does not say that write access reaches the programs that use the folder (docs/security.md). */
const WRITE_ACCESS =
  "Agents can change everything there, and talk to programs that create sockets or named pipes there. Do not share the folder with programs that trust its contents.";

function compare(context: CliContext, accepted: string | null, wanted: string | null): readonly string[] {
  return [
    ...(accepted === null ? [] : [paint(context, "red", markLines(context, accepted, "  - "))]),
    ...(wanted === null ? [] : [paint(context, "green", markLines(context, wanted, "  + "))]),
  ];
}

/** Marks every line, so that none can imitate one of our own. */
function markLines(context: CliContext, text: string, mark: string): string {
  return wrapLines(context, escapedText(text), mark.length)
    .map((line) => `${mark}${line}`)
    .join("\n");
}

/** Only the hash of a file is known here, so the text says what happened to the file instead of showing a diff. */
function describeFileChange(accepted: string | null, wanted: string | null): string {
  if (wanted === null) return "was removed; the built-in default is used again";
  return accepted === null ? "is new; read it before you accept it" : "has changed; read it before you accept it";
}

async function confirmAccept(context: CliContext): Promise<boolean> {
  if (context.json) return false;
  if (!context.interactive)
    throw new UserError(
      "invalid",
      "The project's files request permissions that need a confirmation, and this is not an interactive terminal.",
      'Review the files, then run "nightshift trust --yes".',
    );
  return confirm("Accept all of these permissions?");
}
