import { usage } from "./usage.ts";

/** Breaks an existing test first, and repairs it after the check failed. */
export const greeter = [
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

/** Never passes the tests. */
export const rounder = ["%.1f", "%d", "%.3f"].map((format) => ({
  role: "implement",
  say: `I will print the total with ${format}.`,
  files: {
    "total.sh": `#!/bin/sh\n# Reads lines such as "tea 2.50" and prints the sum of the prices.\nawk '{ sum += $2 } END { printf "${format}\\n", sum }'\n`,
  },
  commands: ["printf 'tea 2.50\\n' | sh total.sh"],
  usage: usage(14_200, 500, 0.05),
  outcome: { outcome: "implemented", summary: `total.sh prints the total with ${format}.` },
}));

const HOUR_MS = 3_600_000;

/** Needs answers of a person. */
export const asker = (now: number) => [
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
  {
    role: "implement",
    say: "Now I know when the café is open.",
    files: {
      "hours.sh": '#!/bin/sh\n# Prints when the café is open.\necho "07:00–19:00"\n',
      "tests/hours.sh": '. tests/expect.sh\nexpect "prints the opening hours" "$(sh hours.sh)" "07:00–19:00"\n',
    },
    commands: ["sh test.sh"],
    usage: usage(16_800, 800, 0.06),
    outcome: { outcome: "implemented", summary: "hours.sh prints the opening hours, with a test." },
  },
];
