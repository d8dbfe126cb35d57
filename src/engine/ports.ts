import type { Facts } from "../core/pipeline.ts";
import type { AgentSettings, Settings } from "../core/settings.ts";
import type { Task } from "../core/task.ts";
import type { Agent } from "../ports/agent.ts";
import type { PassCheckpoint } from "../ports/checkpoint.ts";
import type { Clock } from "../ports/clock.ts";
import type { Courier } from "../ports/courier.ts";
import type { Log } from "../ports/log.ts";
import type { Notifier } from "../ports/notifier.ts";
import type { ProjectFiles } from "../ports/projects.ts";
import type { RunFiles } from "../ports/run-files.ts";
import type { Admission, Store } from "../ports/store.ts";
import type { Supervisors } from "../ports/supervisor.ts";
import type { Workspaces } from "../ports/workspace.ts";

/** Everything the engine needs from the world, handed in by daemon/wire.ts. */
export interface EnginePorts {
  readonly store: Store;
  readonly courier: Courier;
  readonly workspaces: Workspaces;
  readonly supervisors: Supervisors;
  readonly runFiles: RunFiles;
  readonly projects: ProjectFiles;
  readonly createAgent: (settings: AgentSettings) => Agent;
  readonly notifiers: readonly Notifier[];
  readonly clock: Clock;
  readonly log: Log;
  /** SHA-256 of a text, in hex. */
  readonly digest: (text: string) => string;
  readonly pass: PassCheckpoint;
  /** How much may run at once, by the user's and the projects' settings; nothing while the disk is nearly full. */
  readonly limits: () => Omit<Admission, "at">;
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
