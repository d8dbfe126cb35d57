import { usage } from "./usage.ts";

/** The nightly improvement. */
export const gardener = [
  {
    role: "analyze",
    say: [
      "I compared README.md with what the scripts print.",
      "greet.sh greets the night shift; README.md says otherwise.",
    ],
    usage: usage(32_000, 1_100, 0.12),
    outcome: {
      outcome: "improvement_found",
      summary: "README.md is out of date.",
      category: "docs",
      candidates: [
        {
          rank: 1,
          title: "Say in the README whom greet.sh greets",
          files: ["README.md"],
          description: 'In README.md, write "night shift" instead of "day shift".',
          rationale: 'greet.sh prints "Hello, night shift!", and README.md:3 says otherwise.',
        },
        {
          rank: 2,
          title: "Show an order in the README",
          files: ["README.md"],
          description: "Add an example of the input of total.sh.",
          rationale: "The format is described in total.sh, so it helps less than the first one.",
        },
      ],
      selected: 1,
      slug: "readme-says-whom",
    },
  },
  {
    role: "implement",
    say: "I will correct the word.",
    files: {
      "README.md":
        "# Corner café\n\n- `greet.sh` greets the night shift.\n- `total.sh` adds up the prices of an order.\n- `test.sh` runs all tests.\n",
    },
    usage: usage(9_800, 300, 0.03),
    outcome: { outcome: "implemented", summary: "README.md says whom greet.sh greets." },
  },
  {
    role: "verify",
    say: "I compared README.md with what greet.sh prints.",
    usage: usage(8_100, 200, 0.03),
    outcome: { outcome: "verified", summary: "README.md says what greet.sh does, and nothing else changed." },
  },
  {
    role: "describe",
    usage: usage(6_400, 350, 0.02),
    outcome: {
      outcome: "described",
      title: "Say in the README whom greet.sh greets",
      summary: "README.md mentioned the day shift; greet.sh greets the night shift.",
      reasoning: "Readers of README.md expect a different greeting than the one they get.",
      changes: "- README.md: one word",
      commit_message: "Say in the README whom greet.sh greets",
    },
  },
];

/** A nightly improvement that finds nothing. */
export const auditor = [
  {
    role: "analyze",
    say: "No script evaluates its input, and none writes a file.",
    usage: usage(27_500, 600, 0.09),
    outcome: {
      outcome: "no_improvement",
      summary: "Nothing found.",
      reason: "No script evaluates its input, writes a file or opens a connection.",
      files_scanned: 7,
    },
  },
];
