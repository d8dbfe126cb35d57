import { GIT, grantAccess, type Access } from "../../../policy/access/grant.ts";
import { isInPlace, PROTECTED_NAMES } from "../../../core/task/in-place.ts";
import type { Role } from "../../../core/task/role.ts";
import type { SandboxPolicy } from "../../../ports/sandbox.ts";
import type { RunPaths } from "../../../ports/run-files.ts";
import type { Workspace } from "../../../ports/workspace.ts";
import { planRequest } from "../plan/plan-request.ts";
import type { CommandContext, StepContext } from "../step-context.ts";

interface PolicyParams {
  readonly workspace: Workspace;
  readonly paths: RunPaths;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

interface AgentPolicyParams extends PolicyParams {
  readonly role: Role;
  /** Further files that the agent's program reads. */
  readonly read: readonly string[];
  readonly programs: readonly string[];
  /** Paths in the workspace that it must not see. */
  readonly hide: readonly string[];
  /** Further hosts that it may reach: the forge, if the run has its token. */
  readonly network: readonly string[];
}

/** Grants an agent what its role requests, as far as the project allows it. */
export function agentPolicy(context: StepContext, params: AgentPolicyParams): SandboxPolicy {
  const { workspace, paths, role, read } = params;
  const granted = grantFor(context, role);
  const base = basePolicy(context, params);
  const writable = writablePaths(granted, workspace);
  const inPlace = isInPlace(context.task);
  const own = {
    write: [paths.home, paths.tmp, paths.outcomeDir],
    read: [paths.promptFile, paths.filesDir, ...read, ...workspace.objects],
  };
  return {
    ...base,
    ...(inPlace
      ? // A person's directory is checked like every requested path.
        {
          inPlace,
          own,
          write: [...granted.write, ...writable],
          read: [...granted.read, workspace.path],
          protect: PROTECTED_NAMES.map((name) => `${workspace.path}/${name}`),
        }
      : {
          own: { write: [...writable, ...own.write], read: [workspace.path, ...own.read] },
          write: granted.write,
          read: [...granted.read, ...workspace.links],
          protect: granted.commits || granted.workspace === "read" ? [] : [gitDir(workspace)],
        }),
    commands: granted.commands,
    // Git and the CLIs of the forges may be installed outside of the system's directories.
    programs: [...params.programs, ...(isGitApproved(context, role) ? GIT : [])],
    hide: params.hide.map((path) => `${workspace.path}/${path}`),
    network: [...granted.network, ...params.network],
    executes: granted.executes,
    // The responder is a Node process. A role that may not execute anything must not get one more program to run code with.
    answersNoModel: granted.executes,
  };
}

/** What a run may write in its workspace. */
export function writablePaths(granted: Access, workspace: Pick<Workspace, "path">): readonly string[] {
  const { path } = workspace;
  if (granted.workspace === "write") return [path];
  return [...granted.inWorkspace.map((each) => `${path}/${each}`), ...(granted.commits ? [gitDir(workspace)] : [])];
}

function gitDir({ path }: Pick<Workspace, "path">): string {
  return `${path}/.git`;
}

function isGitApproved(context: StepContext, role: Role): boolean {
  return planRequest(context, role)?.needsGit === true;
}

/** Commands come from the pipeline's state or else the role's settings, limited to what the plan and the project allow. */
export function grantFor(context: StepContext, role: Role): Access {
  const { settings, state } = context;
  const commands = state.agent.commands ?? settings.roles[role].commands;
  return grantAccess(role, settings.sandbox, { commands, plan: planRequest(context, role) });
}

/** Policy of the project's own commands (set-up and checks): all that the project allows. They cannot write an outcome. */
export function commandPolicy(context: CommandContext, params: PolicyParams): SandboxPolicy {
  const { workspace, paths } = params;
  const { write, read, network, commands } = context.settings.sandbox;
  return {
    ...basePolicy(context, params),
    own: { write: [workspace.path, paths.home, paths.tmp], read: workspace.objects },
    write,
    read: [...read, ...workspace.links],
    network,
    commands,
    executes: true,
    answersNoModel: false,
  };
}

type BasePolicy = Pick<
  SandboxPolicy,
  | "cwd"
  | "inPlace"
  | "protect"
  | "hide"
  | "programs"
  | "forbidden"
  | "env"
  | "privateHosts"
  | "answersNo"
  | "gateway"
  | "limits"
>;

function basePolicy(
  { ports, settings }: Pick<StepContext, "ports" | "settings">,
  { workspace, env, timeoutMs }: PolicyParams,
): BasePolicy {
  return {
    cwd: workspace.path,
    inPlace: false,
    protect: [],
    hide: [],
    programs: [],
    forbidden: [ports.host.home],
    env,
    privateHosts: settings.sandbox.privateHosts,
    answersNo: false,
    gateway: null,
    limits: ports.sandbox.limitsFor(timeoutMs),
  };
}
