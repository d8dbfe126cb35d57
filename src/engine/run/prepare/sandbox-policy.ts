import { grantAccess, type Access } from "../../../policy/access/grant.ts";
import type { Role } from "../../../core/task/role.ts";
import type { SandboxPolicy } from "../../../ports/sandbox.ts";
import type { RunPaths } from "../../../ports/run-files.ts";
import type { Workspace } from "../../../ports/workspace.ts";
import type { StepContext } from "../step-context.ts";

interface PlaceOfWork {
  readonly workspace: Workspace;
  readonly paths: RunPaths;
  readonly env: Readonly<Record<string, string>>;
  /** How long the command may take. */
  readonly timeoutMs: number;
}

interface AgentsPlace extends PlaceOfWork {
  readonly role: Role;
  /** What the agent's program needs to see besides itself. */
  readonly read: readonly string[];
  /** Programs that the command starts. */
  readonly programs: readonly string[];
  /** Of the workspace, what it must not see. */
  readonly hide: readonly string[];
  /** Whom it reaches besides: the forge, where its token was lent to the run. */
  readonly network: readonly string[];
}

/** What an agent of this role gets: what the role asks for, as far as the project allows it. */
export function agentPolicy(context: StepContext, place: AgentsPlace): SandboxPolicy {
  const { workspace, paths, role, read } = place;
  const granted = grantFor(context, role);
  const base = basePolicy(context, place);
  const writable = granted.workspace === "write" ? [workspace.path] : [];
  return {
    ...base,
    own: {
      write: [...writable, paths.home, paths.tmp, paths.outcomeDir],
      read: [workspace.path, paths.promptFile, paths.filesDir, ...read, ...workspace.objects],
    },
    write: granted.write,
    read: granted.read,
    commands: granted.commands,
    programs: place.programs,
    hide: place.hide.map((path) => `${workspace.path}/${path}`),
    network: [...granted.network, ...place.network],
    executes: granted.executes,
    // Who answers there is a Node: beside a role that judges, it would be one more program to run things with.
    answersNoModel: granted.executes,
  };
}

/** Asked for by the pipeline's state and by whoever wrote the role's settings, within what the project allows. */
export function grantFor({ settings, state }: StepContext, role: Role): Access {
  const commands = state.agent.commands ?? settings.roles[role].commands;
  return grantAccess(role, settings.sandbox, { commands, plan: null });
}

/** What the project's own commands get, set-up and checks: what the project allows, and no outcome to write. */
export function commandPolicy(context: StepContext, place: PlaceOfWork): SandboxPolicy {
  const { workspace, paths } = place;
  const { write, read, network, commands } = context.settings.sandbox;
  return {
    ...basePolicy(context, place),
    own: { write: [workspace.path, paths.home, paths.tmp], read: workspace.objects },
    write,
    read,
    network,
    commands,
    executes: true,
    answersNoModel: false,
  };
}

type Base = Pick<
  SandboxPolicy,
  "cwd" | "protect" | "hide" | "programs" | "forbidden" | "env" | "answersNo" | "gateway" | "limits"
>;

function basePolicy({ ports }: StepContext, { workspace, env, timeoutMs }: PlaceOfWork): Base {
  return {
    cwd: workspace.path,
    protect: [],
    hide: [],
    programs: [],
    forbidden: [ports.host.home],
    env,
    answersNo: false,
    gateway: null,
    limits: ports.sandbox.limitsFor(timeoutMs),
  };
}
