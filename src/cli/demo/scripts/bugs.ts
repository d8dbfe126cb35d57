import { usage } from "./usage.ts";

const TOTAL_WITH_NAMES = `#!/bin/sh
# Reads lines such as "apple pie 3.50" and prints the sum of the prices.
awk '{ sum += $NF } END { printf "%.2f\\n", sum }'
`;

/** Finds a bug and fixes it with a test that proves it. */
export const fixer = [
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
export const investigator = [
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
  {
    role: "plan",
    say: "A script of its own keeps total.sh as it is.",
    usage: usage(21_500, 1_000, 0.08),
    outcome: {
      outcome: "plan_complete",
      summary: "order.sh refuses an empty order and calls total.sh for any other.",
      plan: "## Steps\n1. (low) `order.sh`: read the order; without lines, print an error and end with code 1.\n2. (low) `tests/order.sh`: test an empty order and one with a line.\n",
      plan_summary: "order.sh refuses an empty order and calls total.sh for any other.",
      subtasks: ["Refuse an empty order", "Test it"],
      files: ["order.sh", "tests/order.sh"],
    },
  },
  {
    role: "implement",
    say: ["I will add order.sh, which checks the order first."],
    files: {
      "order.sh": `#!/bin/sh
# Prints the total of an order, and refuses one without lines.
order=$(cat)
[ -n "$order" ] || { echo "The order is empty." >&2; exit 1; }
echo "$order" | sh total.sh
`,
      "tests/order.sh": `. tests/expect.sh
expect "adds an order" "$(echo 'tea 2.50' | sh order.sh)" "2.50"
expect "refuses an empty order" "$(sh order.sh < /dev/null 2>&1)" "The order is empty."
`,
    },
    commands: ["sh test.sh"],
    usage: usage(18_300, 900, 0.07),
    outcome: { outcome: "implemented", summary: "order.sh refuses an empty order, with a test." },
  },
  {
    role: "review",
    say: "I read the whole change and ran it without an order.",
    usage: usage(11_900, 500, 0.05),
    outcome: {
      outcome: "approved",
      summary: "An empty order is refused, and any other is added as before.",
      comments: [],
    },
  },
];
