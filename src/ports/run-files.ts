import type { TranscriptLine } from "../core/task/documents/transcript.ts";

/** Byte positions in a log. Without one of them, the range starts or ends with the log. */
export interface LogRange {
  readonly start?: number;
  readonly end?: number;
}

export interface LogPart {
  readonly text: string;
  /** Byte offset of the text, the `before` of the part before it. */
  readonly start: number;
  /** Bytes of the whole log. */
  readonly size: number;
}

/** The files of runs in Nightshift's home. Files that an agent could have written are treated as untrusted input. */
export interface RunFiles {
  /** Returns `runs/<run>`, which may not exist. */
  dir(run: string): string;
  /** Creates `runs/<run>/` and the directories a run needs, and returns their paths. Idempotent. */
  prepare(params: { readonly run: string; readonly task: string; readonly role: string | null }): Promise<RunPaths>;
  /**
   * Writes the files an agent's CLI needs at start, in its `filesDir` or its home. An earlier run may have left anything in the
   * home, including links. Other paths are rejected.
   */
  writeAgentFiles(paths: RunPaths, files: Readonly<Record<string, string>>): Promise<void>;
  /** Writes `prompt.md` with mode 0600. */
  writePrompt(run: string, text: string): Promise<void>;
  /** Null if the run has none, or if its files were removed. */
  readPrompt(run: string): Promise<string | null>;
  /**
   * Reads the outcome file that the agent wrote: a regular file of at most one megabyte with a JSON object, opened without
   * following links. Anything else is `invalid`, with a message for the agent and for people.
   */
  readOutcome(run: string): Promise<OutcomeFile>;
  /** Reads what the tool `report_outcome` received, as carefully as the outcome file: the agent could have written it. */
  readReport(run: string): Promise<OutcomeFile>;
  /** Writes `outcome.json`, the outcome the engine recognized. Atomic. */
  keepOutcome(run: string, value: unknown): Promise<void>;
  /** Writes `change.diff`. */
  keepDiff(run: string, patch: string): Promise<void>;
  /** Returns the directory for snapshots of the directories that a run may write. `cleanRun` removes it. */
  recordDir(run: string): string;
  /** Writes `files.json`, the files that the run created, modified and deleted. */
  keepFileChanges(run: string, value: unknown): Promise<void>;
  readDiff(run: string): Promise<string | null>;
  /** Returns the id of the leader of the process tree, while a command of the run is running. */
  findProcess(run: string): number | null;
  /** Reads complete transcript lines from a byte offset, at most `maxBytes`. `next` is the offset of the next page. */
  readTranscript(run: string, offset: number, maxBytes: number): Promise<TranscriptPage>;
  /** Reads the last complete lines before a byte offset, at most `maxBytes`. `start` is the `before` of the page before. */
  readTranscriptBefore(run: string, before: number, maxBytes: number): Promise<TranscriptPage>;
  /**
   * Reads the last `maxBytes` of `checks/<name>.log` (or any log of the job), as text without control characters. With a range,
   * only what is in it.
   */
  readLogTail(run: string, logFile: string, maxBytes: number, range?: LogRange): Promise<string>;
  /**
   * Reads a log as it was printed, with control characters: its last `maxBytes`, or the last ones before a byte offset. Null if
   * there is none.
   */
  readLog(run: string, logFile: string, maxBytes: number, before?: number): Promise<LogPart | null>;
  /** Removes what no later run needs: the raw outcome directory, temporary files and leftovers of crashed writers. */
  cleanRun(run: string): Promise<void>;
  /** Removes the private homes of a task's agents. */
  cleanTask(task: string): Promise<void>;
  /** Lists the runs whose directory has not changed since this time. */
  listOldRuns(before: number): Promise<readonly string[]>;
  /** Removes a run's directory. */
  removeRun(run: string): Promise<void>;
  /** Returns the free bytes on the disk of Nightshift's data. */
  freeBytes(): Promise<number>;
}

export interface RunPaths {
  /** `runs/<run>`: written by the engine and the supervisor. */
  readonly dir: string;
  readonly promptFile: string;
  /** Where the agent may write its outcome, in a separate directory that is writable for it. */
  readonly outcomeFile: string;
  /** Where the tool `report_outcome` stores the reported outcome, next to the outcome file. */
  readonly reportFile: string;
  readonly outcomeDir: string;
  /** The agent's private HOME, kept per task and role until the task ends. */
  readonly home: string;
  readonly tmp: string;
  /** For files that the agent can read but not write. */
  readonly filesDir: string;
}

export type OutcomeFile =
  | { readonly kind: "missing" }
  | { readonly kind: "invalid"; readonly problem: string }
  | { readonly kind: "value"; readonly value: Readonly<Record<string, unknown>> };

export interface PlacedLine extends TranscriptLine {
  /** Byte offset of the line in the transcript. */
  readonly offset: number;
}

export interface TranscriptPage {
  readonly lines: readonly PlacedLine[];
  readonly start: number;
  readonly next: number;
  /** Bytes of the whole transcript. */
  readonly size: number;
}
