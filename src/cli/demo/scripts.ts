const HOUR_MS = 3_600_000;

const usage = (input: number, output: number, cost_usd: number) => ({ input, output, cost_usd });

/** Breaks an existing test first, and repairs it after the check failed. */
const greeter = [
  {
    role: "implement",
    say: ["greet.sh always prints the same greeting.", "I will print the first argument."],
    files: { "greet.sh": '#!/bin/sh\necho "Hello, $1!"\n' },
    commands: ["sh greet.sh Ada"],
    usage: usage(18_400, 900, 0.07),
    outcome: { outcome: "implemented", summary: "greet.sh greets the person that it is given." },
  },
  {
    role: "implement",
    say: [
      "Without a name, greet.sh now greets nobody. The test is right.",
      "I will keep the night shift as the default.",
    ],
    files: {
      "greet.sh":
        '#!/bin/sh\n# Greets the person that it is given, or the night shift.\necho "Hello, ${1:-night shift}!"\n',
      "tests/greet.sh": { append: 'expect "greets a person by name" "$(sh greet.sh Ada)" "Hello, Ada!"\n' },
    },
    commands: ["sh test.sh"],
    usage: usage(21_200, 1_300, 0.09),
    outcome: { outcome: "implemented", summary: "greet.sh greets a person by name, and the night shift without one." },
  },
];

/** The nightly improvement. */
const gardener = [
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
const auditor = [
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

/** Writes a plan that waits for approval. */
const planner = [
  {
    role: "plan",
    say: ["I read total.sh and its test.", "A discount belongs after the sum."],
    usage: usage(41_000, 2_300, 0.16),
    outcome: {
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
    },
  },
];

/** Needs answers of a person. */
const asker = (now: number) => [
  {
    role: "implement",
    say: ["There is no file with the opening hours.", "I could guess them, but customers would come to a closed door."],
    usage: usage(15_300, 700, 0.06),
    outcome: {
      outcome: "needs_info",
      summary: "When does the café open, and how should hours.sh print it?",
      questions: [
        {
          id: "format",
          question: "In which format should hours.sh print the opening hours?",
          context: "The README and the scripts contain no time of the day yet.",
          input: "choice",
          options: ["07:00–19:00", "7 am – 7 pm"],
          default: "07:00–19:00",
          deadline: new Date(now + 9 * HOUR_MS).toISOString(),
        },
        {
          id: "holidays",
          question: "Is the café open on public holidays?",
          context: "hours.sh would print a second line for holidays.",
          input: "boolean",
        },
      ],
    },
  },
];

/** Never passes the tests. */
const rounder = ["%.1f", "%d", "%.3f"].map((format) => ({
  role: "implement",
  say: `I will print the total with ${format}.`,
  files: {
    "total.sh": `#!/bin/sh\n# Reads lines such as "tea 2.50" and prints the sum of the prices.\nawk '{ sum += $2 } END { printf "${format}\\n", sum }'\n`,
  },
  commands: ["printf 'tea 2.50\\n' | sh total.sh"],
  usage: usage(14_200, 500, 0.05),
  outcome: { outcome: "implemented", summary: `total.sh prints the total with ${format}.` },
}));

const TOTAL_WITH_NAMES = `#!/bin/sh
# Reads lines such as "apple pie 3.50" and prints the sum of the prices.
awk '{ sum += $NF } END { printf "%.2f\\n", sum }'
`;

/** Finds a bug and fixes it with a test that proves it. */
const fixer = [
  {
    role: "investigate",
    say: ["printf 'apple pie 3.50' | sh total.sh prints 0.00.", "awk takes the second word of the line as the price."],
    commands: ["printf 'apple pie 3.50\\n' | sh total.sh"],
    usage: usage(23_600, 1_200, 0.09),
    outcome: {
      outcome: "investigation_complete",
      summary: "total.sh takes the second word of a line as the price.",
      report: `## Cause
\`total.sh:3\` adds \`$2\`, the second word. In \`apple pie 3.50\` that is \`pie\`, which awk counts as 0.

## Evidence
\`printf 'apple pie 3.50' | sh total.sh\` prints \`0.00\`.
`,
      options: [
        {
          id: "last-word",
          title: "Take the last word as the price",
          description: "Use `$NF`. Names may contain any number of words.",
          pros: "One character changes; old orders give the same total.",
          cons: "A line with a note after the price is added wrongly.",
          recommended: true,
        },
        {
          id: "tabs",
          title: "Separate name and price by a tab",
          description: "Use `-F '\\t'`. Every order must be written differently.",
          pros: "No ambiguity.",
          cons: "All existing orders have to be changed.",
        },
      ],
      subtasks: ["Take the price from the right place", "Test a name of two words"],
    },
  },
  {
    role: "implement",
    say: ["I will take the last word, and add a test with a name of two words."],
    files: {
      "total.sh": TOTAL_WITH_NAMES,
      "tests/total.sh": {
        append: `expect "accepts names of two words" "$(printf 'apple pie 3.50\\ntea 2.50\\n' | sh total.sh)" "6.00"\n`,
      },
    },
    commands: ["sh test.sh"],
    usage: usage(17_900, 800, 0.07),
    outcome: { outcome: "implemented", summary: "total.sh takes the last word of a line as the price, with a test." },
  },
  {
    role: "review",
    say: "I read the whole change and tried an order of my own.",
    usage: usage(12_700, 600, 0.05),
    outcome: {
      outcome: "approved",
      summary: "The total is right for names of any number of words, and the new test fails without the fix.",
      comments: [
        { file: "total.sh", line: 2, severity: "nit", comment: "Say in this comment that the price comes last." },
      ],
    },
  },
];

/** Finds a bug with more than one reasonable fix. */
const investigator = [
  {
    role: "investigate",
    say: ["An order without lines prints 0.00.", "The script cannot tell an empty order from a missing one."],
    commands: ["sh total.sh < /dev/null"],
    usage: usage(19_800, 950, 0.08),
    outcome: {
      outcome: "investigation_complete",
      summary: "total.sh prints 0.00 for an empty order and does not report an error.",
      report: "## Cause\n`total.sh:3` has no rule for an order without lines; awk prints the sum of nothing.\n",
      options: [
        {
          id: "fail",
          title: "Refuse an empty order",
          description: "Print an error and end with code 1.",
          pros: "A mistake at the till is noticed at once.",
          cons: "Scripts that expect 0.00 have to change.",
          recommended: true,
        },
        {
          id: "warn",
          title: "Print 0.00 and a warning",
          description: "Write the warning to stderr.",
          pros: "Nothing that exists breaks.",
          cons: "A warning is easy to overlook.",
        },
      ],
      subtasks: ["Handle an empty order", "Test it"],
    },
  },
];

/** A one-off request with a plan that says what it may do. */
const clerk = [
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

/** A one-off request that needs more rights, so its plan waits for a person. */
const archivist = [
  {
    role: "plan",
    say: "The history is needed to see which script changes most often.",
    usage: usage(13_400, 900, 0.06),
    outcome: {
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
    },
  },
];

/** What each scripted agent of the demo does in each run of a role. `read-script.ts` describes the format. */
export const demoScripts = (now: number) => ({
  greeter,
  gardener,
  auditor,
  planner,
  asker: asker(now),
  rounder,
  fixer,
  investigator,
  clerk,
  archivist,
});

export type DemoAgent = keyof ReturnType<typeof demoScripts>;
