import type { TranscriptLine } from "../core/task/transcript.ts";

/** The files of runs under Nightshift's home. Whatever an agent could have written is read with distrust. */
export interface RunFiles {
  /** `runs/<run>`, whether or not it exists. */
  dir(run: string): string;
  /** Makes `runs/<run>/` and the directories a run needs, and says where they are. Idempotent. */
  prepare(params: { readonly run: string; readonly task: string; readonly role: string | null }): Promise<RunPaths>;
  /**
   * What an agent's CLI is to find when it starts: in its `filesDir`, or in its home, where an earlier run of it may have
   * left anything, links included. Nothing else is written.
   */
  writeAgentFiles(paths: RunPaths, files: Readonly<Record<string, string>>): Promise<void>;
  /** `prompt.md`, mode 0600. */
  writePrompt(run: string, text: string): Promise<void>;
  /**
   * The outcome file that the agent wrote: a regular file of at most a megabyte with a JSON object, reached without
   * following links. Anything else is `invalid`, with a sentence the agent and people understand.
   */
  readOutcome(run: string): Promise<OutcomeFile>;
  /** What came by the tool `report_outcome`, read as the outcome file is: the agent could have written it as well. */
  readReport(run: string): Promise<OutcomeFile>;
  /** `outcome.json`: what the engine made of it. Written atomically. */
  keepOutcome(run: string, value: unknown): Promise<void>;
  /** `change.diff`. */
  keepDiff(run: string, patch: string): Promise<void>;
  readDiff(run: string): Promise<string | null>;
  /** Whole lines of the transcript from a byte offset on, at most `maxBytes`; `next` is where to go on. */
  readTranscript(run: string, offset: number, maxBytes: number): Promise<TranscriptPage>;
  /** The last `maxBytes` of `checks/<name>.log` (or any log of the job), as text without control characters. */
  readLogTail(run: string, logFile: string, maxBytes: number): Promise<string>;
  /** Drops what no later run needs: the agent's raw outcome directory, temporary files, what writers that died left. */
  cleanRun(run: string): Promise<void>;
  /** Drops the private homes of a task's agents. */
  cleanTask(task: string): Promise<void>;
  /** Drops a run's directory altogether. */
  removeRun(run: string): Promise<void>;
  /** Bytes free where Nightshift keeps its data. */
  freeBytes(): Promise<number>;
}

export interface RunPaths {
  /** `runs/<run>`: what the engine and the supervisor write. */
  readonly dir: string;
  readonly promptFile: string;
  /** Where the agent may put its outcome; in a directory of its own that the agent may write. */
  readonly outcomeFile: string;
  /** Where the tool `report_outcome` puts what it was told; beside the outcome file. */
  readonly reportFile: string;
  readonly outcomeDir: string;
  /** The agent's private HOME, kept per task and role until the task ends. */
  readonly home: string;
  readonly tmp: string;
  /** For files that the agent can read and not write. */
  readonly filesDir: string;
}

export type OutcomeFile =
  | { readonly kind: "missing" }
  | { readonly kind: "invalid"; readonly problem: string }
  | { readonly kind: "value"; readonly value: Readonly<Record<string, unknown>> };

export interface TranscriptPage {
  readonly lines: readonly TranscriptLine[];
  readonly next: number;
}
