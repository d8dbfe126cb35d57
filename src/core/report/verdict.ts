import type { Section } from "./sections.ts";

export const VERDICTS = ["quiet", "good", "attention", "running", "bad"] as const;

/** Whether the night went well, in two sentences. */
export interface Verdict {
  readonly level: (typeof VERDICTS)[number];
  readonly fact: string;
  readonly consequence: string;
}

export interface VerdictFacts {
  readonly counts: Readonly<Record<Section, number>>;
  /** Total time to read the changes that wait for a review. */
  readonly readingMinutes: number;
  /** What stops work until a person does something, in sentences. */
  readonly problems: readonly string[];
}

export function judgeNight({ counts, readingMinutes, problems }: VerdictFacts): Verdict {
  const consequence = describeConsequence(counts, readingMinutes);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const [problem] = problems;
  if (problem !== undefined) return { level: "bad", fact: `Part of the work is stopped: ${problem}`, consequence };
  if (total === 0) return { level: "quiet", fact: "Nothing was planned and nothing ran.", consequence };
  const open = counts.running + counts.queued;
  if (open > 0) {
    const done = total - open - counts.decide;
    const fact = `The shift is running. ${done} of ${total} ${total === 1 ? "task is" : "tasks are"} done.`;
    return { level: "running", fact, consequence };
  }
  const needsPerson = counts.decide + counts.review + counts.failed > 0;
  return { level: needsPerson ? "attention" : "good", fact: "The shift ran to the end.", consequence };
}

function describeConsequence(counts: VerdictFacts["counts"], readingMinutes: number): string {
  const { decide, review, failed } = counts;
  const parts = [
    ...(decide > 0 ? [decide === 1 ? "1 decision waits for you" : `${decide} decisions wait for you`] : []),
    ...(review > 0
      ? [`${review === 1 ? "1 change is" : `${review} changes are`} ready to review (about ${readingMinutes} min)`]
      : []),
    ...(failed > 0 ? [failed === 1 ? "1 task failed" : `${failed} tasks failed`] : []),
  ];
  return parts.length === 0 ? "No task waits for you." : `${parts.join(", ")}.`;
}
