import { coversRule, parseNetworkRules } from "./network-rule.ts";
import { covers } from "./path-rules.ts";
import type { Role } from "../../core/task/role.ts";
import type { SandboxSettings } from "../../core/settings/settings.ts";

/** The permissions of a run: what role and plan request, limited by what the project allows. The sandbox refuses what no run may have. */
export interface Access {
  /** `write` may refer to a temporary copy. */
  readonly workspace: "read" | "write";
  /** Writable folders, relative to the root of an otherwise read-only workspace. */
  readonly inWorkspace: readonly string[];
  /** Whether code in the workspace may be executed. */
  readonly executes: boolean;
  /** Whether the workspace's own git directory is writable, so that the agent can commit. */
  readonly commits: boolean;
  readonly network: readonly string[];
  readonly write: readonly string[];
  readonly read: readonly string[];
  /** Null means all programs of the system. */
  readonly commands: readonly string[] | null;
}

export interface AccessRequest {
  /** The commands configured for the role or the state. Null if none are configured. */
  readonly commands: readonly string[] | null;
  /** For `execute`: the approved plan. */
  readonly plan: PlanRequest | null;
}

export interface PlanRequest {
  /** The directory the plan is about. The workspace is a copy of it. */
  readonly root: string;
  /** Writable directories, relative to the root or absolute. Those outside of the root are granted because a person approved them. */
  readonly directories: readonly string[];
  readonly tools: readonly string[];
  /** Null: every program that the project allows. */
  readonly commands: readonly string[] | null;
  readonly network: readonly string[];
  readonly needsGit: boolean;
}

export type Allowed = Pick<SandboxSettings, "write" | "read" | "network" | "commands">;

const NO_REQUEST: AccessRequest = { commands: null, plan: null };

export function grantAccess(role: Role, allowed: Allowed, asked: AccessRequest = NO_REQUEST): Access {
  const wants = accessOfRole(role, allowed, asked.plan);
  const commands = intersectCommands(commandsOf(asked) ?? wants.commands, allowed.commands);
  return {
    workspace: wants.workspace,
    inWorkspace: wants.inWorkspace,
    executes: wants.executes,
    commits: wants.commits,
    network: wants.network,
    write: wants.write,
    read: allowed.read,
    commands: wants.git ? commands : withoutGit(commands),
  };
}

function commandsOf({ commands, plan }: AccessRequest): readonly string[] | null {
  const planned = plan?.commands ?? null;
  return intersectCommands(commands, planned !== null && plan?.needsGit === true ? [...planned, ...GIT] : planned);
}

interface RoleAccess {
  readonly workspace: "read" | "write";
  readonly inWorkspace: readonly string[];
  readonly executes: boolean;
  readonly commits: boolean;
  readonly network: readonly string[];
  readonly write: readonly string[];
  /** Default if no list is configured. Null means whatever the project allows. */
  readonly commands: readonly string[] | null;
  /** Whether the programs of git and the forges are available. */
  readonly git: boolean;
}

/** Git and the CLIs of the forges. */
export const GIT: readonly string[] = ["git", "gh", "glab"];

const READER: RoleAccess = {
  workspace: "read",
  inWorkspace: [],
  executes: false,
  commits: false,
  network: [],
  write: [],
  commands: [],
  git: true,
};
/** git reads the history. An interpreter is excluded, because it could run code of the workspace however it is mounted. */
const HISTORY_READER: RoleAccess = { ...READER, commands: ["git"] };
/** The forge's host is not listed here: it comes with the forge's credentials. */
const PUBLISHER: RoleAccess = { ...READER, commands: GIT };
const WORKER: RoleAccess = { ...READER, workspace: "write", executes: true, commits: true, commands: null };

/** Roles that give a verdict run nothing from the workspace, because code that runs beside an agent could forge its report. */
function accessOfRole(role: Role, allowed: Allowed, plan: PlanRequest | null): RoleAccess {
  switch (role) {
    case "implement":
    case "request_changes":
      return { ...WORKER, network: allowed.network, write: allowed.write };
    case "investigate": // works in a temporary copy, so nothing outside may be changed
      return { ...WORKER, network: allowed.network };
    case "analyze":
    case "describe":
    case "review":
    case "rank":
      return HISTORY_READER;
    case "publish":
      return PUBLISHER;
    case "verify":
    case "plan":
    case "plan_revision":
    case "design":
      return READER;
    case "execute":
      return plan === null ? READER : accessOfPlan(plan, allowed);
  }
}

function accessOfPlan(plan: PlanRequest, allowed: Allowed): RoleAccess {
  const { inside, outside, isWhole } = placeDirectories(plan);
  const ceiling = parseNetworkRules(allowed.network).rules;
  return {
    workspace: isWhole ? "write" : "read",
    inWorkspace: isWhole ? [] : inside,
    executes: plan.tools.some((tool) => tool === "Bash" || tool.startsWith("Bash(")),
    commits: plan.needsGit,
    network: plan.network.filter((host) => coversRule(ceiling, host)),
    write: outside,
    commands: null,
    git: plan.needsGit,
  };
}

interface PlannedPlaces {
  /** The root itself is writable. */
  readonly isWhole: boolean;
  /** Relative to the root. */
  readonly inside: readonly string[];
  readonly outside: readonly string[];
}

/** Sorts a plan's directories by whether the workspace contains them. */
export function placeDirectories({ root, directories }: Pick<PlanRequest, "root" | "directories">): PlannedPlaces {
  const absolute = directories.map((each) => toAbsolute(root, each));
  // A path with `..` is refused later, when paths are resolved.
  const isInside = (path: string): boolean => covers(root, path) && !path.split("/").includes("..");
  return {
    isWhole: absolute.includes(root),
    inside: absolute.filter((path) => path !== root && isInside(path)).map((path) => path.slice(root.length + 1)),
    outside: absolute.filter((path) => !isInside(path)),
  };
}

function toAbsolute(root: string, directory: string): string {
  const path = directory.startsWith("/") ? directory : `${root}/${directory}`;
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return `/${parts.join("/")}`;
}

/** `sbt` includes `sbt compile`. If only `sbt compile` is allowed, a request for `sbt` is reduced to it. */
export function intersectCommands(
  one: readonly string[] | null,
  other: readonly string[] | null,
): readonly string[] | null {
  if (one === null || other === null) return one ?? other;
  const both = one.flatMap((a) => other.flatMap((b) => (isWithin(a, b) ? [a] : isWithin(b, a) ? [b] : [])));
  return [...new Set(both)];
}

function isWithin(narrow: string, wide: string): boolean {
  return narrow === wide || narrow.startsWith(`${wide} `);
}

function withoutGit(commands: readonly string[] | null): readonly string[] | null {
  return commands?.filter((command) => !GIT.includes(command.split(" ", 1)[0] ?? "")) ?? null;
}
