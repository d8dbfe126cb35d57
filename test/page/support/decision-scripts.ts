import type { Files } from "../../../src/testing/temp-repo.ts";

type Step = Readonly<Record<string, unknown>>;

const REVIEW = {
  role: "review",
  outcome: {
    outcome: "approved",
    summary: "The export does what was asked, and it has a test.",
    comments: [{ file: "notes.txt", line: 1, severity: "nit", comment: "`notes` could be a longer word." }],
  },
};

/** A file of its own for each run, so that the changes of several tasks do not conflict. */
const WRITE = "echo more > $(mktemp notes-XXXXXX)";

export const CHANGE = [
  { role: "implement", commands: [WRITE], outcome: { outcome: "implemented", summary: "Wrote a note." } },
  { role: "request_changes", commands: [WRITE], outcome: { outcome: "implemented", summary: "Wrote another one." } },
];

function documentPlan(plan: string): Step {
  return {
    outcome: "plan_complete",
    summary: "Two files change.",
    plan,
    plan_summary: "Export failed payments as CSV.",
    subtasks: ["Read the payments", "Write the file"],
    files: ["src/export.ts"],
  };
}

/** The plan of a staged task. */
export const STAGED_PLAN = {
  outcome: "plan_complete",
  summary: "One file is written.",
  prompt: "Read the snapshot.\nWrite exports/failed-payments.csv, newest first.\n\nWrite nothing else.",
  system_prompt: "",
  tools: ["Read", "Bash", "Write"],
  directories: ["exports"],
  commands: ["sqlite3", "node"],
  network: [],
  needs_git: false,
  estimate: { tokens: 40_000, minutes: 6, usd: 0.4 },
  limits: { minutes: 15, usd: 5 },
  reasoning: "The snapshot covers the whole quarter, so no network is needed.",
};

/** Questions with and without defaults. `deadline`: for those with a default. */
export function questions(deadline: string | null): Step {
  const until = deadline === null ? {} : { deadline };
  return {
    outcome: "needs_info",
    summary: "Three things are not clear.",
    questions: [
      {
        id: "which",
        question: "Which invoices get the new rounding?",
        context: "Drafts are recalculated when they are opened. **212** of them would change by one cent.",
        input: "choice",
        options: ["New ones only", "New ones and open drafts", "All that are unpaid"],
        default: "New ones only",
        ...until,
      },
      {
        id: "callers",
        question: "May Money.round() change for every caller?",
        context: "It has 14 callers.",
        input: "boolean",
        default: false,
        ...until,
      },
    ],
  };
}

export const OPTIONS = [
  {
    id: "database",
    title: "One discount line per code and cart, in the database",
    description: "A unique index on cart and code.",
    pros: ["Holds whatever the page does", "No change in the page"],
    cons: ["Needs a migration"],
    recommended: true,
  },
  {
    id: "page",
    title: "Stop the page from posting again",
    description: "Listen to `pageshow`.",
    pros: ["Two files"],
    cons: [],
  },
];

/** What the agents of these tests play, by the name of the agent. */
const SCRIPTS: Readonly<Record<string, readonly Step[]>> = {
  planner: [
    {
      role: "plan",
      outcome: documentPlan("## Goal\n\nExport **failed** payments.\n\n## Steps\n\n1. Read them.\n2. Write a file."),
    },
    {
      role: "plan_revision",
      outcome: documentPlan(
        "## Goal\n\nExport **failed** payments of Q3.\n\n## Steps\n\n1. Read them.\n2. Write a file.",
      ),
    },
    ...CHANGE,
    REVIEW,
  ],
  stager: [
    { role: "plan", outcome: STAGED_PLAN },
    {
      role: "plan_revision",
      outcome: {
        ...STAGED_PLAN,
        prompt: "Read the snapshot.\nWrite exports/q3.csv.\n\nWrite nothing else.",
        directories: ["exports", "reports"],
      },
    },
    { role: "execute", outcome: { outcome: "completed", summary: "Wrote the file.", result: "3 rows." } },
  ],
  asker: [{ role: "implement", outcome: questions(null) }, ...CHANGE, REVIEW],
  investigator: [
    {
      role: "investigate",
      outcome: {
        outcome: "investigation_complete",
        report: "## Cause\n\nThe cart posts `applyCoupon` again.",
        summary: "The cart posts `applyCoupon` again when the page comes back from the cache.",
        options: OPTIONS,
        subtasks: [],
      },
    },
    { role: "plan", outcome: documentPlan("## Goal\n\nOne line per code.") },
    ...CHANGE,
    REVIEW,
  ],
};

/**
 * A project with an agent for each kind of decision. `more` adds agents, or replaces their scripts. `check` is the command of the
 * project's only check.
 */
export function decisionProject(
  more: Readonly<Record<string, readonly Step[]>> = {},
  check = "test -s README.md",
): Files {
  const scripts = { ...SCRIPTS, ...more };
  const agents = Object.keys(scripts).map((name) => `  ${name}: { kind: scripted, script: ./agents/${name}.json }`);
  return {
    "nightshift.yaml": `project: shop
agent: planner
agents:
${agents.join("\n")}
checks:
  notes: { command: "${check}" }
`,
    ...Object.fromEntries(
      Object.entries(scripts).map(([name, steps]) => [`agents/${name}.json`, JSON.stringify(steps)]),
    ),
  };
}
