import { canonicalJson } from "../text/canonical-json.ts";
import type { TranscriptEvent } from "./documents/transcript.ts";

/** When an agent counts as stuck. */
export interface StuckLimits {
  /** How often the same tool call may have the same result while nothing new happens. */
  readonly repeats: number;
  /** How long an agent that must change files may work without doing so. */
  readonly editMs: number;
  /** How many tokens the model of such an agent may write without a change. */
  readonly editTokens: number;
}

/** Finds out whether an agent is stuck, from its transcript alone. So a restarted daemon comes to the same result. */
export interface StuckDetector {
  push(event: TranscriptEvent, at: number): void;
  /** Tokens that the model gateway counted. */
  addTokens(output: number): void;
  /** What was observed, as a sentence. Null if the agent is not stuck. */
  finding(): string | null;
}

/** Longer silence is a pause, a suspended machine or a slow model, which other limits handle. It does not count. */
const MAX_GAP_MS = 2 * 60_000;
const MAX_PENDING = 200;
const MAX_KNOWN = 5_000;
const MAX_SHOWN = 120;
const MINUTE_MS = 60_000;

/** Tools that cannot change a file, by the names of all CLIs. A shell can, so a new command or a new result counts as progress. */
const READ_TOOLS =
  /^(read|glob|grep|ls|list|search|find|view|cat|todo|web|fetch|think|task_?output|bash_?output|read_\w+|list_\w+|search_\w+|glob_\w+|grep_\w+|todo\w*|web\w*|notebookread)$/i;

/** Generous, because ending an agent that is not stuck is worse than noticing late that it is. */
export const DEFAULT_STUCK_LIMITS: StuckLimits = { repeats: 20, editMs: 20 * MINUTE_MS, editTokens: 100_000 };

export function createStuckDetector(limits: StuckLimits, mustEdit: boolean): StuckDetector {
  const pending = new Map<string, { readonly name: string; readonly call: string }>();
  const known = new Set<string>();
  let repeated = new Map<string, number>();
  let lastAt: number | null = null;
  let idleEditMs = 0;
  let idleEditTokens = 0;
  let finding: string | null = null;

  function noteProgress(): void {
    idleEditMs = 0;
    idleEditTokens = 0;
  }

  function noteResult(id: string, output: string): void {
    const called = pending.get(id);
    if (called === undefined) return;
    pending.delete(id);
    const { name, call } = called;
    const pair = `${call}\n${output}`;
    if (!known.has(pair)) {
      if (known.size >= MAX_KNOWN) known.clear();
      known.add(pair);
      repeated = new Map();
      if (!READ_TOOLS.test(name)) noteProgress();
      return;
    }
    const times = (repeated.get(pair) ?? 1) + 1;
    repeated.set(pair, times);
    if (times >= limits.repeats)
      finding ??= `It made the same tool call ${times} times with the same result, and nothing new in between: ${shorten(call)}`;
  }

  function checkEdits(): void {
    if (!mustEdit) return;
    if (idleEditMs >= limits.editMs)
      finding ??= `It worked for ${Math.round(idleEditMs / MINUTE_MS)} minutes without changing a file.`;
    if (idleEditTokens >= limits.editTokens)
      finding ??= `Its model wrote ${idleEditTokens} tokens without changing a file.`;
  }

  return {
    push(event, at) {
      const gapMs = at - (lastAt ?? at);
      // A running tool works, not the agent.
      if (pending.size === 0 && gapMs > 0 && gapMs <= MAX_GAP_MS) idleEditMs += gapMs;
      lastAt = at;
      if (event.type === "tool_call") {
        if (pending.size >= MAX_PENDING) pending.clear();
        pending.set(event.id, { name: event.name, call: `${event.name} ${canonicalJson(event.input ?? null)}` });
      } else if (event.type === "tool_result") noteResult(event.id, event.output);
      else if (event.type === "file_change") {
        repeated = new Map();
        noteProgress();
      }
      checkEdits();
    },
    addTokens(output) {
      idleEditTokens += output;
      checkEdits();
    },
    finding: () => finding,
  };
}

function shorten(call: string): string {
  return call.length > MAX_SHOWN ? `${call.slice(0, MAX_SHOWN)}…` : call;
}
