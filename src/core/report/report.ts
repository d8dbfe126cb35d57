import type { RunCosts } from "../money/sum-run-costs.ts";
import type { NoticeData } from "../notices/notice.ts";
import type { Proof } from "../task/checks/proof.ts";
import type { StepKind } from "../task/run.ts";
import type { Task, TaskChangeRequest } from "../task/task.ts";
import type { ChangedFile, Risk } from "./risk.ts";
import type { Section } from "./sections.ts";
import type { Verdict } from "./verdict.ts";

/** What happened in a period, what waits for a person, and what can be merged. */
export interface Report {
  /** The day on which the night began. Null for another period. */
  readonly night: string | null;
  readonly since: number;
  /** Exclusive. */
  readonly until: number;
  readonly verdict: Verdict;
  readonly problems: readonly Problem[];
  readonly sections: Readonly<Record<Section, SectionContent>>;
  /** Scheduled work that did not start, in sentences. */
  readonly missed: readonly Missed[];
  readonly spans: readonly Span[];
  readonly gaps: readonly Gap[];
  /** What became of the period before this one. */
  readonly previous: PeriodSummary;
}

export interface SectionContent {
  readonly total: number;
  /** The first ones. */
  readonly tasks: readonly ReportedTask[];
}

/** Stops work until a person does something. */
export interface Problem {
  readonly text: string;
  readonly command: string;
  /** The agent that cannot work. */
  readonly agent: string;
  /** Number of tasks that wait for it. */
  readonly tasks: number;
}

export interface ReportedTask {
  readonly task: Task;
  readonly about: NoticeData;
  readonly cost: RunCosts;
  readonly changeRequest: TaskChangeRequest | null;
  /** Null if there is nothing to merge. */
  readonly change: ReportedChange | null;
}

export interface ReportedChange {
  readonly files: readonly ChangedFile[];
  readonly risk: Risk;
  readonly readingMinutes: number;
  /** Whether the tests of a fix fail on the base commit and pass on the change. Null if that was not examined. */
  readonly proof: Proof | null;
}

export interface Missed {
  readonly at: number;
  readonly text: string;
}

/** The time in which a run worked. */
export interface Span {
  readonly run: string;
  readonly task: string;
  readonly project: string;
  readonly step: StepKind;
  readonly status: string;
  readonly from: number;
  /** Null if it has not ended. */
  readonly to: number | null;
}

/** A time in which nothing, or no run of an agent, could start. */
export interface Gap {
  readonly kind: "daemon" | "agent";
  readonly agent: string | null;
  readonly reason: string;
  readonly from: number;
  /** Null if it did not end in the period. */
  readonly to: number | null;
}

export interface PeriodSummary {
  readonly since: number;
  readonly until: number;
  /** Tasks that ended in the period. */
  readonly succeeded: number;
  readonly failed: number;
}
