import type { Facts } from "../core/pipeline/pipeline.ts";
import type { NoticeData } from "../core/notices/notice.ts";
import type { Secret } from "../policy/secrets/secret-forms.ts";
import type { AgentSettings, SandboxMode, Settings } from "../core/settings/settings.ts";
import { planProblems, readExecutionPlan } from "../core/outcomes/execution-plan.ts";
import type { PriceTable } from "../core/money/prices.ts";
import type { ReportScope } from "../core/outcomes/outcome.ts";
import type { Task } from "../core/task/task.ts";
import type { TranscriptEvent } from "../core/task/documents/transcript.ts";
import type { Agent, McpServer } from "../ports/agent.ts";
import type { PassCheckpoint } from "../ports/checkpoint.ts";
import type { Checkouts } from "../ports/checkout.ts";
import type { Clock } from "../ports/clock.ts";
import type { Courier } from "../ports/courier.ts";
import type { Cron } from "../ports/cron.ts";
import type { FileRecord } from "../ports/file-record.ts";
import type { Forge } from "../ports/forge.ts";
import type { Log } from "../ports/log.ts";
import type { McpServers } from "../ports/mcp.ts";
import type { Notifier } from "../ports/notifier.ts";
import type { DetectedProject, ProjectFiles, ProjectSource } from "../ports/projects.ts";
import type { RunFiles, RunPaths } from "../ports/run-files.ts";
import type { SandboxLimits } from "../ports/sandbox.ts";
import type { SecretScan } from "../ports/secret-scan.ts";
import type { Admission, NoticeKind, Project, Store } from "../ports/store.ts";
import type { Supervisors } from "../ports/supervisor.ts";
import type { Workspaces } from "../ports/workspace.ts";

export interface ReportServer {
  readonly server: McpServer;
  /** Files that the server must be able to read. */
  readonly read: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

/** Everything the engine needs from the outside world. daemon/wire builds it; functions take the parts they need. */
export interface EnginePorts {
  readonly store: Store;
  readonly courier: Courier;
  readonly workspaces: Workspaces;
  readonly checkouts: Checkouts;
  readonly supervisors: Supervisors;
  readonly runFiles: RunFiles;
  readonly fileRecord: Pick<FileRecord, "start" | "finish" | "readChanged" | "describe">;
  readonly projects: ProjectFiles;
  readonly clock: Clock;
  readonly cron: Cron;
  readonly log: Log;
  readonly agents: AgentAccess;
  readonly mcp: McpServers;
  readonly sandbox: SandboxAccess;
  readonly secrets: SecretAccess;
  readonly channels: ChannelAccess;
  readonly forges: ForgeAccess;
  readonly host: Host;
  readonly hooks: EngineHooks;
  /** SHA-256 of a text, in hex. */
  readonly digest: (text: string) => string;
}

export interface AgentAccess {
  readonly create: (settings: AgentSettings) => Agent;
  /** The installed version of an agent's program, and why it cannot be used. */
  readonly checkVersion: (
    agent: Pick<Agent, "program">,
  ) => Promise<{ readonly version: string | null; readonly problem: string | null }>;
  /** The MCP server behind the tool `report_outcome`. Null if it is not available. */
  readonly findReportServer: (paths: RunPaths, scope: ReportScope) => ReportServer | null;
  /** Parses a transcript line written by the model gateway. */
  readonly parseGatewayLine: (line: string) => readonly TranscriptEvent[];
  readonly prices: PriceTable;
}

export interface SandboxAccess {
  readonly mode: SandboxMode;
  /** Resource limits for a command with this timeout. */
  readonly limitsFor: (timeoutMs: number) => SandboxLimits;
  /** Why the sandbox does not work on this machine, and what repairs it. Null if it works. */
  readonly findProblem: () => Promise<string | null>;
  /** The path without links. Its last parts may not exist. */
  readonly resolvePath: (path: string) => string;
  /**
   * Why no run may write to these directories, a sentence for each that is refused. Links are refused as well, because a plan
   * would name another directory than it grants. `inPlace`: a directory that the run works in directly, and therefore must be
   * able to read.
   */
  readonly refuseDirectories: (paths: readonly string[], inPlace?: string | null) => readonly string[];
}

export interface SecretAccess {
  /** Removes known secrets from a value before it is stored or shown; see policy/secrets/redact.ts. */
  readonly redact: <T>(value: T) => T;
  /** The values that supervisors remove from transcripts and logs. */
  readonly known: () => readonly Secret[];
  readonly scanner: SecretScan;
}

/** For functions that only need to redact. */
export interface RedactPorts {
  readonly secrets: Pick<SecretAccess, "redact">;
}

export interface ChannelAccess {
  /** The channels that a project notifies about this kind. Synchronous, because notices are part of a commit. */
  readonly namesFor: (
    project: string,
    kind: NoticeKind,
    data: Pick<NoticeData, "isNight" | "about">,
  ) => readonly string[];
  /** Where and when to send the report of the night. */
  readonly readReport: () => Promise<ReportDelivery>;
  /** Uses the current settings. Null if the project no longer has this channel. */
  readonly openNotifier: (project: string, channel: string) => Promise<Notifier | null>;
}

export interface ReportDelivery {
  /** `HH:MM`. */
  readonly at: string;
  readonly timeZone: string;
  readonly channels: readonly string[];
}

export interface ForgeAccess {
  /** The project's forge, or null if it has none. Throws a ForgeError if it cannot be used, for example without its token. */
  readonly open: (project: Project, settings: Settings) => Forge | null;
}

export interface Host {
  /** Nightshift's own data. A run may read only what it was explicitly granted. */
  readonly home: string;
  /** The daemon's environment, with the stored keys. Only listed names are ever passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Changes when a stored key is added, changed or removed. */
  readonly keysVersion: () => string;
  /** When keys may have changed last: the start of the daemon, or the last change of a stored key. */
  readonly keysChangedAt: () => number;
  readonly retention: Retention;
  /** The OS user that the daemon runs as. The daemon's own token acts under this name. */
  readonly owner: string;
  /** Finds the project at a source. Throws UserError or ConfigError if there is none that can be used. */
  readonly detectProject: (source: ProjectSource) => Promise<DetectedProject>;
  /** How many runs may execute at once. Zero while the disk is nearly full. */
  readonly capacity: () => Omit<Admission, "at">;
}

export interface Retention {
  /** How long to keep the files of ended tasks. Null to keep them. Throws ConfigError while config.yaml is invalid. */
  readonly readMs: () => Promise<number | null>;
  /** Removes the daemon's log of days before this time. */
  readonly removeLogs: (before: number) => Promise<void>;
}

export interface EngineHooks {
  /** Crash tests kill the daemon at these points. */
  readonly passCheckpoint: PassCheckpoint;
  /** Called when a run's transcript grew. */
  readonly onOutput: (run: string) => void;
}

export function admissionNow(ports: Pick<EnginePorts, "host" | "clock">): Admission {
  return { ...ports.host.capacity(), at: ports.clock.now() };
}

export function factsOf(
  task: Pick<Task, "options" | "complexity" | "conversation" | "plan">,
  settings: Settings,
): Facts {
  const chosen = task.conversation.findLast(({ kind, reply }) => kind === "choice" && reply !== null);
  return {
    forge: settings.forge !== null,
    design: task.options.design || task.complexity === "high",
    auto_plan: settings.gates.plan === "auto" || task.options.autoApprove,
    auto_merge: settings.gates.merge === "auto",
    auto_approve: task.options.autoApprove && mayRunUnapproved(task, settings),
    skip_plan: chosen?.reply?.["then"] === "implement",
    git: true,
  };
}

/** Without a policy of the user, every plan without problems may. A plan that the policy was not applied to may not. */
function mayRunUnapproved({ plan }: Pick<Task, "plan">, { autoApprove }: Settings): boolean {
  const execution = readExecutionPlan(plan);
  if (execution === null) return true;
  if (planProblems(plan).length > 0) return false;
  return autoApprove === null || execution.approval_reasons?.length === 0;
}
