import { covers } from "./path-rules.ts";
import type { Role } from "../../core/task/role.ts";
import type { SandboxSettings } from "../../core/task/settings.ts";

/** What a run may do: what role and plan ask for, within what the project allows. What no run may have, the wall refuses. */
export interface Access {
  /** `write` may mean a copy that is thrown away. */
  readonly workspace: "read" | "write";
  /** Folders of a workspace that is otherwise read, from its root, that may be written. */
  readonly inWorkspace: readonly string[];
  /** Whether code that stands in the workspace may run. */
  readonly executes: boolean;
  readonly network: readonly string[];
  readonly write: readonly string[];
  readonly read: readonly string[];
  /** Null: every program of the system. */
  readonly commands: readonly string[] | null;
  /** Asked for and not allowed by the project. */
  readonly refused: readonly string[];
}

export interface Asked {
  /** The list that a person wrote for the role or the state; null where nobody did. */
  readonly commands: readonly string[] | null;
  /** For `execute`: the plan that was approved. */
  readonly plan: AskedByPlan | null;
}

export interface AskedByPlan {
  /** The directory that the plan is about, for which the workspace stands. */
  readonly root: string;
  /** To be written; from the root, or absolute. */
  readonly directories: readonly string[];
  readonly tools: readonly string[];
  readonly needsGit: boolean;
}

export type Allowed = Pick<SandboxSettings, "write" | "read" | "network" | "commands">;

const NOTHING_ASKED: Asked = { commands: null, plan: null };

export function grantAccess(role: Role, allowed: Allowed, asked: Asked = NOTHING_ASKED): Access {
  const wants = wantsOf(role, allowed, asked.plan);
  const write = splitBy(wants.write, (path) => allowed.write.some((each) => covers(each, path)));
  const commands = intersectCommands(asked.commands ?? wants.commands, allowed.commands);
  return {
    workspace: wants.workspace,
    inWorkspace: wants.inWorkspace,
    executes: wants.executes,
    network: wants.network ? allowed.network : [],
    write: write.yes,
    read: allowed.read,
    commands: wants.git ? commands : withoutGit(commands),
    refused: write.no,
  };
}

interface Wants {
  readonly workspace: "read" | "write";
  readonly inWorkspace: readonly string[];
  readonly executes: boolean;
  readonly network: boolean;
  readonly write: readonly string[];
  /** Where nobody wrote a list; null: whatever the project allows. */
  readonly commands: readonly string[] | null;
  readonly git: boolean;
}

const READER: Wants = {
  workspace: "read",
  inWorkspace: [],
  executes: false,
  network: false,
  write: [],
  commands: [],
  git: true,
};
/** The history is read by git; an interpreter would run what stands in the workspace, however it is mounted. */
const HISTORY_READER: Wants = { ...READER, commands: ["git"] };
/** Whom it reaches with that is not its to say: the forge's host is lent with the token. */
const PUBLISHER: Wants = { ...READER, commands: ["git", "gh", "glab"] };
const WORKER: Wants = { ...READER, workspace: "write", executes: true, network: true, commands: null };

/** Roles that give a verdict run nothing from the workspace: code that runs beside an agent could forge its report. */
function wantsOf(role: Role, allowed: Allowed, plan: AskedByPlan | null): Wants {
  switch (role) {
    case "implement":
    case "request_changes":
      return { ...WORKER, write: allowed.write };
    case "investigate": // in a copy that is thrown away, so nothing outside of it may be changed
      return WORKER;
    case "analyze":
    case "describe":
    case "review":
      return HISTORY_READER;
    case "publish":
      return PUBLISHER;
    case "verify":
    case "plan":
    case "plan_revision":
    case "design":
      return READER;
    case "execute":
      return plan === null ? READER : wantsOfPlan(plan);
  }
}

function wantsOfPlan({ root, directories, tools, needsGit }: AskedByPlan): Wants {
  const places = splitBy(
    directories.map((each) => toAbsolute(root, each)),
    // What has `..` in it leads who knows where; it is refused where paths are resolved.
    (path) => covers(root, path) && !path.split("/").includes(".."),
  );
  const isWhole = places.yes.includes(root);
  const executes = tools.some((tool) => tool === "Bash" || tool.startsWith("Bash("));
  return {
    workspace: isWhole ? "write" : "read",
    inWorkspace: isWhole ? [] : places.yes.map((path) => path.slice(root.length + 1)),
    executes,
    network: true,
    write: places.no,
    commands: null,
    git: needsGit,
  };
}

function toAbsolute(root: string, directory: string): string {
  const path = directory.startsWith("/") ? directory : `${root}/${directory}`;
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return `/${parts.join("/")}`;
}

/** `sbt` allows `sbt compile`, and of `sbt` no more than `sbt compile` is left where only that is allowed. */
function intersectCommands(one: readonly string[] | null, other: readonly string[] | null): readonly string[] | null {
  if (one === null || other === null) return one ?? other;
  const both = one.flatMap((a) => other.flatMap((b) => (isWithin(a, b) ? [a] : isWithin(b, a) ? [b] : [])));
  return [...new Set(both)];
}

function isWithin(narrow: string, wide: string): boolean {
  return narrow === wide || narrow.startsWith(`${wide} `);
}

const GIT = ["git", "gh", "glab"];

function withoutGit(commands: readonly string[] | null): readonly string[] | null {
  return commands?.filter((command) => !GIT.includes(command.split(" ", 1)[0] ?? "")) ?? null;
}

function splitBy<T>(items: readonly T[], isYes: (item: T) => boolean): { yes: readonly T[]; no: readonly T[] } {
  const yes = items.filter(isYes);
  return { yes, no: items.filter((item) => !yes.includes(item)) };
}
