import type { UsedLimit } from "../core/money/budget.ts";
import type { Report } from "../core/report/report.ts";
import type { NotifiedKind } from "../core/settings/settings.ts";
import type { Actor } from "../core/task/event.ts";
import type { Requester } from "../core/task/requester.ts";
import type { Run } from "../core/task/run.ts";
import type { Task } from "../core/task/task.ts";
import type { TaskDraft } from "../core/task/task-draft.ts";
import type { Commands } from "../engine/commands/commands-contract.ts";
import type { Sessions } from "../engine/commands/sessions.ts";
import type { DraftPreview } from "../engine/commands/preview-draft.ts";
import type { TaskPreview } from "../engine/commands/preview-task.ts";
import type { FindMergeOrder } from "../engine/merge/merge-order.ts";
import type { Outage } from "../engine/reconcile/outages.ts";
import type { TaskDiff } from "../engine/report/read-diff.ts";
import type { CheckLogQuery } from "../engine/report/read-check-log.ts";
import type { TaskPipeline } from "../engine/report/read-task-pipeline.ts";
import type { PipelineList } from "../engine/report/list-pipelines.ts";
import type { ReportQuery } from "../engine/report/read-report.ts";
import type { Upcoming } from "../engine/schedule/upcoming.ts";
import type { Clock } from "../ports/clock.ts";
import type { HookCall } from "../ports/forge.ts";
import type { Log } from "../ports/log.ts";
import type { ProjectFiles } from "../ports/projects.ts";
import type { LogPart, RunFiles } from "../ports/run-files.ts";
import type { StoreReader } from "../ports/store-mutations.ts";
import type { Project } from "../ports/store.ts";
import type { PeopleStore } from "../ports/store-people.ts";
import type { AuthDeps } from "./auth.ts";
import type { FindingJson } from "./contract/daemon.ts";
import type { OutputDeps } from "./live/output-feed.ts";

/** Dependencies of the HTTP API. */
export interface HttpDeps extends Omit<AuthDeps, "address">, OutputDeps {
  readonly commands: Commands;
  readonly sessions: Sessions;
  readonly night: {
    readonly upcoming: (project: string | null, until: number) => Promise<Upcoming>;
    /** The used part of each budget limit, of one project and of all projects together. */
    readonly budgets: (project: string | null) => Promise<readonly UsedLimit[]>;
    readonly report: (query: ReportQuery) => Promise<Report>;
    readonly preview: (draft: TaskDraft, actor: Actor) => Promise<TaskPreview>;
  };
  readonly previewDraft: (draft: TaskDraft, actor: Requester) => Promise<DraftPreview>;
  /** The API only reads; `keepAnswer` is its own bookkeeping for idempotency keys. */
  readonly store: StoreReader & { readonly people: Pick<PeopleStore, "keepAnswer"> };
  readonly runFiles: Pick<RunFiles, "readTranscript" | "readTranscriptBefore" | "findProcess">;
  readonly channels: {
    readonly list: () => Promise<readonly ChannelInfo[]>;
    /** Sends a test message. */
    readonly test: (
      name: string,
      draft: { readonly project: string | null; readonly by: string },
    ) => Promise<{ readonly ok: boolean; readonly detail: string }>;
  };
  readonly listPipelines: (projects: readonly Project[]) => Promise<PipelineList>;
  readonly readTaskPipeline: (task: Task) => Promise<TaskPipeline>;
  /** Null if the check printed nothing or its log was removed. */
  readonly readCheckLog: (run: Run, query: CheckLogQuery) => Promise<LogPart | null>;
  /** The prompt of a run without secrets. Null if there is none. */
  readonly readPrompt: (run: string) => Promise<string | null>;
  /** The change of a task, or only what changed since a reviewed commit. */
  readonly readDiff: (task: Task, since: string | null) => Promise<TaskDiff>;
  readonly agents: () => Promise<readonly AgentInfo[]>;
  /** Checks everything that depends on the environment of the daemon, and the project in this folder. */
  readonly doctor: (path: string, options: { readonly run: boolean }) => Promise<readonly FindingJson[]>;
  readonly keys: () => Promise<readonly KeyInfo[]>;
  /** Finds settings that cannot work. With `run`, also runs the checks on the base commit. */
  readonly checkSetup: (project: Project, options: { readonly run: boolean }) => Promise<readonly FindingJson[]>;
  readonly mergeOrder: FindMergeOrder;
  readonly pendingTrust: ProjectFiles["pendingTrust"];
  /** The settings that apply to a project now. Throws if its files are invalid. */
  readonly readSettings: ProjectFiles["settings"];
  /** Verifies a webhook call, and polls the forge if it is genuine ("accepted"). Null if the project has no webhook. */
  readonly verifyHook: (project: string, call: HookCall) => Promise<"accepted" | "rejected" | null>;
  /** Starts to stop the daemon and returns immediately. */
  readonly stop: (force: boolean) => void;
  readonly info: () => DaemonInfo;
  readonly clock: Clock;
  readonly log: Log;
}

export interface AgentInfo {
  readonly name: string;
  readonly kind: string;
  readonly program: string | null;
  readonly version: string | null;
  /** The oldest version that can be used. Null if any can. */
  readonly oldestVersion: string | null;
  readonly usable: boolean;
  readonly problem: string | null;
}

/** A key without its value. */
export interface KeyInfo {
  readonly name: string;
  readonly source: "stored" | "environment";
  /** The last four characters. Null for short values. */
  readonly ending: string | null;
  readonly addedAt: string | null;
  /** The daemon's environment also sets this variable, but the stored value is used. */
  readonly replacesEnvironment: boolean;
}

/** A channel for notifications, without its secrets. */
export interface ChannelInfo {
  readonly name: string;
  readonly kind: string;
  /** The project whose settings have it. Null: config.yaml. */
  readonly project: string | null;
  readonly on: readonly NotifiedKind[];
  /** Why the last message did not arrive. */
  readonly problem: string | null;
}

export interface DaemonInfo {
  readonly pid: number;
  readonly version: string;
  readonly startedAt: number;
  readonly sandbox: string;
  /** Time zone that defines the days of costs. */
  readonly timeZone: string;
  readonly problems: readonly string[];
  readonly outages: readonly Outage[];
}
