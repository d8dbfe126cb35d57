import type { Facts } from "../core/pipeline/pipeline.ts";
import type { Secret } from "../policy/secrets/secret-forms.ts";
import type { AgentSettings, SandboxMode, Settings } from "../core/task/settings.ts";
import type { PriceTable } from "../core/money/prices.ts";
import type { Role } from "../core/task/role.ts";
import type { Task } from "../core/task/task.ts";
import type { TranscriptEvent } from "../core/task/transcript.ts";
import type { Agent, McpServer } from "../ports/agent.ts";
import type { PassCheckpoint } from "../ports/checkpoint.ts";
import type { Clock } from "../ports/clock.ts";
import type { Courier } from "../ports/courier.ts";
import type { Cron } from "../ports/cron.ts";
import type { Forge } from "../ports/forge.ts";
import type { Log } from "../ports/log.ts";
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
  /** What it needs to see. */
  readonly read: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

/** Everything the engine needs from the world, handed in by daemon/wire.ts. */
export interface EnginePorts {
  readonly store: Store;
  readonly courier: Courier;
  readonly workspaces: Workspaces;
  readonly supervisors: Supervisors;
  readonly runFiles: RunFiles;
  readonly secretScan: SecretScan;
  readonly projects: ProjectFiles;
  /** Finds the project at a source. Throws UserError or ConfigError with what is wrong there. */
  readonly detectProject: (source: ProjectSource) => Promise<DetectedProject>;
  /** The program behind the tool `report_outcome`; null where it cannot be had. */
  readonly findReportServer: (paths: RunPaths, role: Role) => ReportServer | null;
  /** The version of an agent's program, where it can be asked, and why that will not do. */
  readonly checkVersion: (
    agent: Pick<Agent, "program">,
  ) => Promise<{ readonly version: string | null; readonly problem: string | null }>;
  /** Events of ours in a line, as the gateway writes them. */
  readonly parseOwnLine: (line: string) => readonly TranscriptEvent[];
  readonly prices: PriceTable;
  readonly createAgent: (settings: AgentSettings) => Agent;
  /** Who is told of this in a project; known at once, since notices are part of a commit. */
  readonly channelsFor: (project: string, kind: NoticeKind) => readonly string[];
  /** By the settings as they are now; null where the project has no such channel any more. */
  readonly notifierFor: (project: string, channel: string) => Promise<Notifier | null>;
  readonly clock: Clock;
  readonly cron: Cron;
  /** The project's forge; null where it has none. Throws a ForgeError where it cannot be used, say without its token. */
  readonly forgeFor: (project: Project, settings: Settings) => Forge | null;
  readonly log: Log;
  /** SHA-256 of a text, in hex. */
  readonly digest: (text: string) => string;
  /** The same value without the secrets that are known, before it is kept or shown; see core/redact.ts. */
  readonly redact: <T>(value: T) => T;
  /** What supervisors keep out of transcripts and logs. */
  readonly knownSecrets: () => readonly Secret[];
  readonly pass: PassCheckpoint;
  /** How much may run at once, by the user's and the projects' settings; nothing while the disk is nearly full. */
  readonly limits: () => Omit<Admission, "at">;
  /** Nightshift's own data: no run may see it, but for what it was given. */
  readonly home: string;
  /** The OS user that the daemon runs as; the daemon's own token acts under this name. */
  readonly owner: string;
  readonly sandboxMode: SandboxMode;
  /** What a command may take of the machine that is given so much time. */
  readonly sandboxLimits: (timeoutMs: number) => SandboxLimits;
  /** Why the sandbox does not hold on this machine, with what repairs it; null when it does. */
  readonly sandboxProblem: () => Promise<string | null>;
  /** The daemon's own environment: only names on a list ever leave it. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** Called when a run's transcript grew, for whoever watches it live. */
  readonly onOutput: (run: string) => void;
}

export function admissionNow(ports: Pick<EnginePorts, "limits" | "clock">): Admission {
  return { ...ports.limits(), at: ports.clock.now() };
}

export function factsOf(task: Pick<Task, "options" | "complexity" | "conversation">, settings: Settings): Facts {
  const chosen = task.conversation.findLast(({ kind, reply }) => kind === "choice" && reply !== null);
  return {
    forge: settings.forge !== null,
    design: task.options.design || task.complexity === "high",
    auto_plan: settings.gates.plan === "auto" || task.options.autoApprove,
    auto_merge: settings.gates.merge === "auto",
    auto_approve: task.options.autoApprove,
    skip_plan: chosen?.reply?.["option"] === "implement",
    git: true,
  };
}
