import { usage } from "./usage.ts";

const DISCOUNT_PLAN = {
  outcome: "plan_complete",
  summary: "total.sh takes a discount in percent.",
  plan: `## Goal
\`total.sh 10\` prints the sum of an order minus 10 %.

## Steps
1. (low) \`total.sh\`: take the discount as the first argument; without one, nothing changes.
2. (low) \`total.sh\`: reject a discount that is not a number from 0 to 100, with exit code 2.
3. (low) \`tests/total.sh\`: test no discount, 10 %, 100 % and \`abc\`.

## Risks
Rounding: 12.5 % of 0.99 is not a whole number of cents. The sum is rounded once, at the end.
`,
  plan_summary: "total.sh takes a discount in percent as its first argument and rejects anything else.",
  subtasks: ["Take a discount as the first argument", "Reject what is not a percentage", "Test both"],
  files: ["total.sh", "tests/total.sh"],
};

/** Writes a plan that waits for approval. */
export const planner = [
  {
    role: "plan",
    say: ["I read total.sh and its test.", "A discount belongs after the sum."],
    usage: usage(41_000, 2_300, 0.16),
    outcome: DISCOUNT_PLAN,
  },
  {
    role: "plan_revision",
    say: "I will take up the feedback.",
    usage: usage(43_000, 1_900, 0.15),
    outcome: {
      ...DISCOUNT_PLAN,
      plan: `${DISCOUNT_PLAN.plan}\nRevised after the feedback: the README names the discount.\n`,
    },
  },
  {
    role: "implement",
    say: "I will take the discount as the first argument.",
    files: {
      "total.sh": `#!/bin/sh
# Reads lines such as "apple pie 3.50" and prints the sum of the prices, minus a discount in percent.
case "\${1:-0}" in *[!0-9]*) echo "The discount is not a number." >&2; exit 2 ;; esac
[ "\${1:-0}" -le 100 ] || { echo "The discount is more than 100 %." >&2; exit 2; }
awk -v discount="\${1:-0}" '{ sum += $NF } END { printf "%.2f\\n", sum * (100 - discount) / 100 }'
`,
      "tests/total.sh": {
        append: `expect "takes a discount" "$(echo 'tea 2.00' | sh total.sh 10)" "1.80"
expect "rejects a wrong discount" "$(sh total.sh abc < /dev/null 2>&1)" "The discount is not a number."
`,
      },
    },
    commands: ["sh test.sh"],
    usage: usage(34_000, 1_800, 0.13),
    outcome: {
      outcome: "implemented",
      summary: "total.sh takes a discount in percent, with tests.",
      subtasks_done: [1, 2, 3],
    },
  },
  {
    role: "review",
    say: "I tried 0, 12, 100 and 101 percent.",
    usage: usage(19_000, 700, 0.07),
    outcome: {
      outcome: "approved",
      summary: "The discount is right at both ends, and anything else is rejected.",
      comments: [{ file: "total.sh", line: 3, severity: "suggestion", comment: "Say in the message what was given." }],
    },
  },
];

/** A one-off request with a plan that says what it may do. */
export const clerk = [
  {
    role: "plan",
    say: "Reading the scripts and writing one file is enough.",
    usage: usage(11_000, 800, 0.05),
    outcome: {
      outcome: "plan_complete",
      summary: "Count the lines of every script.",
      prompt: "Count the lines of every .sh file and write them to reports/lines.md, the longest first.",
      system_prompt: "",
      tools: [],
      directories: ["reports"],
      commands: [],
      network: [],
      needs_git: false,
      estimate: { tokens: 12_000, minutes: 1, usd: 0.05 },
      reasoning: "Only one file is written, so only reports/ needs to be writable.",
    },
  },
  {
    role: "execute",
    say: "I count the lines and sort them.",
    commands: ["mkdir -p reports", "wc -l *.sh tests/*.sh | sort -rn > reports/lines.md"],
    usage: usage(9_200, 400, 0.04),
    outcome: {
      outcome: "completed",
      summary: "reports/lines.md lists every script with its number of lines.",
      result: "The repository has five scripts with fewer than 20 lines in total per file. The longest is test.sh.",
    },
  },
];

const HISTORY_PLAN = {
  outcome: "plan_complete",
  summary: "Find out which scripts change most often.",
  prompt: "Read the history with git log and write reports/changes.md: every script with its number of commits.",
  system_prompt: "",
  tools: [],
  directories: ["reports"],
  commands: [],
  network: [],
  needs_git: true,
  estimate: { tokens: 20_000, minutes: 2, usd: 0.08 },
  reasoning: "The history is only in git, so the run needs it. Nothing outside reports/ is written.",
};

/** A one-off request that needs more rights, so its plan waits for a person. */
export const archivist = [
  {
    role: "plan",
    say: "The history is needed to see which script changes most often.",
    usage: usage(13_400, 900, 0.06),
    outcome: HISTORY_PLAN,
  },
  {
    role: "plan_revision",
    say: "I will take up the feedback.",
    usage: usage(13_900, 900, 0.06),
    outcome: {
      ...HISTORY_PLAN,
      reasoning: "As before, with the feedback in mind: nothing outside reports/ is written.",
    },
  },
  {
    role: "execute",
    say: "I count the commits of every script.",
    commands: [
      "mkdir -p reports",
      'for file in *.sh; do echo "$(git log --oneline -- $file | wc -l) $file"; done | sort -rn > reports/changes.md',
    ],
    usage: usage(14_600, 700, 0.05),
    outcome: {
      outcome: "completed",
      summary: "reports/changes.md lists every script with its number of commits.",
      result: "total.sh has changed most often.",
    },
  },
];
