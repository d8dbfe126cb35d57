import type { UsedLimit } from "../core/money/budget.ts";
import type { Actor } from "../core/task/event.ts";
import type { Commands, TaskDraft } from "../engine/commands/commands-contract.ts";
import type { Foreseen } from "../engine/nightly/foresee.ts";
import type { Upcoming } from "../engine/schedule/upcoming.ts";
import type { Clock } from "../ports/clock.ts";
import type { HookCall } from "../ports/forge.ts";
import type { Log } from "../ports/log.ts";
import type { RunFiles } from "../ports/run-files.ts";
import type { Project, Store } from "../ports/store.ts";
import type { AuthDeps } from "./auth.ts";
import type { OutputDeps } from "./live/output-feed.ts";

/** Dependencies of the HTTP API. */
export interface HttpDeps extends AuthDeps, OutputDeps {
  readonly commands: Commands;
  readonly night: {
    readonly upcoming: (project: string | null, until: number) => Promise<Upcoming>;
    /** The used part of each budget limit, of one project and of all projects together. */
    readonly budgets: (project: string | null) => Promise<readonly UsedLimit[]>;
    readonly preview: (draft: TaskDraft, actor: Actor) => Promise<Foreseen>;
  };
  readonly store: Store;
  readonly runFiles: Pick<RunFiles, "readTranscript" | "readDiff">;
  readonly agents: () => Promise<readonly AgentInfo[]>;
  /** Finds the project of a checkout or a URL. Throws UserError or ConfigError if it is invalid. */
  readonly findProject: (source: ProjectPlace) => Promise<FoundProject>;
  /** Returns the permissions that the project's files request beyond `accepted`. */
  readonly pendingTrust: (project: FoundProject, accepted: string) => Promise<PendingTrust>;
  /** Verifies a webhook call, and polls the forge if it is genuine ("taken"). Null if the project has no webhook. */
  readonly judgeHook: (project: string, call: HookCall) => Promise<"taken" | "refused" | null>;
  /** Starts to stop the daemon and returns immediately. */
  readonly stop: (force: boolean) => void;
  readonly info: () => DaemonInfo;
  readonly clock: Clock;
  readonly log: Log;
}

export type ProjectPlace =
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "url"; readonly url: string };

export type FoundProject = Pick<Project, "name" | "path" | "remote" | "defaultBranch">;

export interface PendingTrust {
  /** Canonical JSON. It becomes `Project.accepted` when a person accepts. */
  readonly wanted: string;
  /** Hash of `wanted`, so that a person can accept only what they were shown. */
  readonly hash: string;
  readonly changes: readonly TrustChange[];
}

export interface TrustChange {
  readonly key: string;
  readonly accepted: string | null;
  readonly wanted: string | null;
}

export interface AgentInfo {
  readonly name: string;
  readonly kind: string;
  readonly program: string | null;
  readonly version: string | null;
  readonly usable: boolean;
  readonly problem: string | null;
  readonly parkedUntil: number | null;
}

export interface DaemonInfo {
  readonly pid: number;
  readonly version: string;
  readonly startedAt: number;
  readonly sandbox: string;
  /** Time zone that defines the days of costs. */
  readonly timeZone: string;
  readonly problems: readonly string[];
}
