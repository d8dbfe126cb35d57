/** A kind of task. Its sequence of states is always the same, even if processes are killed. */
export interface Kind {
  readonly script: readonly unknown[];
  /** All `task.state` events in order, as `from>to outcome`. */
  readonly transitions: readonly string[];
  /** All changes of its published commit. */
  readonly files: Readonly<Record<string, string>>;
}

const PUBLISHED = ["checking>publishing checks_passed", "publishing>done published"];
const WITHOUT_REPAIR = ["implementing>checking implemented", ...PUBLISHED];

function implement(files: Readonly<Record<string, string>>, rest: object = {}): unknown {
  return { role: "implement", files, outcome: { outcome: "implemented", summary: "done" }, ...rest };
}

export const KINDS = {
  quick: {
    script: [implement({ "work/quick.txt": "quick\n" })],
    transitions: WITHOUT_REPAIR,
    files: { "work/quick.txt": "quick\n" },
  },
  slow: {
    // A grandchild that must not outlive its run.
    script: [
      implement(
        { "work/slow.txt": "slow\n" },
        { say: "one moment", delay: "900ms", commands: ["sleep 30 & sleep 0.3; kill $!"] },
      ),
    ],
    transitions: WITHOUT_REPAIR,
    files: { "work/slow.txt": "slow\n" },
  },
  repair: {
    script: [
      implement({ "work/repair.txt": "BROKEN\n" }),
      implement({ "work/repair.txt": "mended\n", "work/why.txt": "it was broken\n" }),
    ],
    transitions: ["implementing>checking implemented", "checking>implementing checks_failed", ...WITHOUT_REPAIR],
    files: { "work/repair.txt": "mended\n", "work/why.txt": "it was broken\n" },
  },
  asks: {
    script: [
      {
        role: "implement",
        outcome: {
          outcome: "needs_info",
          summary: "Which?",
          questions: [{ id: "which", question: "Which?", input: "choice", options: ["a", "b"] }],
        },
      },
      implement({ "work/asked.txt": "answered\n" }),
    ],
    transitions: ["implementing>implementing needs_info", ...WITHOUT_REPAIR],
    files: { "work/asked.txt": "answered\n" },
  },
} as const satisfies Record<string, Kind>;

export type KindName = keyof typeof KINDS;
export const KIND_NAMES: readonly KindName[] = ["quick", "slow", "repair", "asks"];

/** Passes on the base, so a failure is caused by the change. */
export const CHECK = "! grep -rqs BROKEN work";
