import type { ForgeGatewayPlan } from "../../../ports/gateway.ts";

/** The start of a push (git's pack protocol): the refs to change, before the objects. */
export interface PushHead {
  readonly commands: readonly PushCommand[];
  readonly capabilities: readonly string[];
}

interface PushCommand {
  readonly newId: string;
  readonly ref: string;
}

const COMMAND = /^(?<oldId>[0-9a-f]{40}|[0-9a-f]{64}) (?<newId>[0-9a-f]{40}|[0-9a-f]{64}) (?<ref>[^\0\n]+)$/;
/** The largest head that is read: more refs than any agent pushes. */
export const MAX_HEAD_BYTES = 32 * 1024;

/** Reads the head of a push from its first bytes. `incomplete` means that more bytes are needed. */
export function readPushHead(bytes: Buffer): PushHead | "incomplete" | "invalid" {
  const commands: PushCommand[] = [];
  const capabilities: string[] = [];
  for (let at = 0; ;) {
    if (bytes.length < at + 4) return bytes.length > MAX_HEAD_BYTES ? "invalid" : "incomplete";
    const digits = bytes.toString("latin1", at, at + 4);
    if (digits === "0000") return { commands, capabilities };
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : 0;
    if (length <= 4 || at + length > MAX_HEAD_BYTES) return "invalid";
    if (bytes.length < at + length) return "incomplete";
    const line = bytes.toString("utf8", at + 4, at + length).replace(/\n$/, "");
    at += length;
    const [text = "", listed] = line.split("\0", 2);
    // Servers read the capabilities of every line, with or without a value, separated by any space.
    for (const each of (listed ?? "").split(/\s+/)) capabilities.push(each.split("=", 1)[0] ?? "");
    if (/^shallow [0-9a-f]+$/.test(text)) continue;
    const found = COMMAND.exec(text)?.groups;
    // For example a signed push, whose commands are inside of the certificate.
    if (found?.["newId"] === undefined || found["ref"] === undefined) return "invalid";
    commands.push({ newId: found["newId"], ref: found["ref"] });
  }
}

type PushableBranches = Pick<ForgeGatewayPlan, "branch" | "defaultBranch">;

/** Returns why a push is refused. Null if it only creates or updates branches of the task. */
export function refusePush({ commands, capabilities }: PushHead, allowed: PushableBranches): string | null {
  const { branch } = allowed;
  // Options can do anything that the forge offers, such as merging.
  if (capabilities.includes("push-options")) return "push options are not allowed";
  if (commands.some(({ ref }) => !isTaskBranch(ref, allowed)))
    return `only the branch ${branch}, and branches that start with ${branch}-, can be pushed`;
  if (commands.some(({ newId }) => /^0+$/.test(newId))) return "branches cannot be deleted";
  return null;
}

export function isTaskBranch(ref: string, { branch, defaultBranch }: PushableBranches): boolean {
  const own = `refs/heads/${branch}`;
  if (ref === `refs/heads/${defaultBranch}`) return false;
  return ref === own || (ref.startsWith(`${own}-`) && /^[\w.-]+$/.test(ref.slice(own.length)));
}

/** The answer of a server that refuses every command, in the form in which git shows the reason. */
export function formatRefusal({ commands, capabilities }: PushHead, reason: string): Buffer {
  const report = Buffer.concat([
    packet("unpack ok\n"),
    ...commands.map(({ ref }) => packet(`ng ${ref} ${reason}\n`)),
    FLUSH,
  ]);
  if (!capabilities.includes("side-band-64k")) return report;
  return Buffer.concat([packet(Buffer.concat([Buffer.from([1]), report])), FLUSH]);
}

const FLUSH = Buffer.from("0000");

function packet(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, "0")), bytes]);
}
