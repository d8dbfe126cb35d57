import { UserError } from "../core/text/errors.ts";
import { terminalText } from "../core/text/terminal-text.ts";
import type { Client, PendingTrustJson, ProjectJson } from "../http/client/client.ts";
import { confirm } from "./ask.ts";
import type { CliContext } from "./context.ts";
import { paint } from "./print/style.ts";

export interface Place {
  readonly path: string | null;
  readonly url: string | null;
}

export interface Accepting {
  readonly place: Place;
  /** We wrote nightshift.yaml ourselves a moment ago, so nobody has to read it first. */
  readonly own: boolean;
  readonly yes: boolean;
}

export interface Accepted {
  readonly project: ProjectJson;
  readonly pending: PendingTrustJson;
  readonly accepted: boolean;
}

/** Registers the project; what its files ask for counts only after a person saw it and said yes. */
export async function acceptFiles(
  context: CliContext,
  client: Client,
  { place, own, yes }: Accepting,
): Promise<Accepted> {
  const { project, pending } = await client.call("POST /projects", { body: { ...place, accept: null } });
  if (pending.changes.length === 0) return { project, pending, accepted: true };
  if (!own || pending.changes.some(({ key }) => cameWithTheRepository(key))) {
    if (!yes && !context.json) context.tell(describe(context, pending));
    if (!yes && !(await agree(context))) return { project, pending, accepted: false };
  }
  const done = await client.call("POST /projects", { body: { ...place, accept: pending.hash } });
  return { project: done.project, pending, accepted: true };
}

/** Prompts, instructions and pipelines are never ours. */
function cameWithTheRepository(key: string): boolean {
  return key.startsWith(".nightshift/");
}

function describe(context: CliContext, { changes }: PendingTrustJson): string {
  const lines = changes.flatMap(({ key, accepted, wanted }) => [
    paint(context, "bold", terminalText(key)),
    ...(cameWithTheRepository(key) ? [`  ${whatBecame(accepted, wanted)}`] : compare(context, accepted, wanted)),
  ]);
  return `The project's files ask for this:\n${lines.join("\n")}\n`;
}

function compare(context: CliContext, accepted: string | null, wanted: string | null): readonly string[] {
  return [
    ...(accepted === null ? [] : [paint(context, "red", `  - ${terminalText(accepted)}`)]),
    ...(wanted === null ? [] : [paint(context, "green", `  + ${terminalText(wanted)}`)]),
  ];
}

/** Of a file only the hash is known here, which tells nobody anything. */
function whatBecame(accepted: string | null, wanted: string | null): string {
  if (wanted === null) return "is gone; what Nightshift brings along counts again";
  return accepted === null ? "is new: read it before you accept it" : "has changed: read it before you accept it";
}

async function agree(context: CliContext): Promise<boolean> {
  if (context.json) return false;
  if (!context.interactive)
    throw new UserError(
      "invalid",
      "nobody is there to say yes to what the project's files ask for",
      "look at it, then run nightshift trust --yes",
    );
  return confirm("Accept all of it?");
}
