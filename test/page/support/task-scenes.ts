import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { TaskJson } from "../../../src/http/client/client.ts";
import { createPageUser, type PageUser } from "./page-user.ts";

type Step = Readonly<Record<string, unknown>>;

const usage = (cost: number) => ({ input: 18_240, output: 2_910, cache_read: 96_400, cost_usd: cost });

const plan = (steps: string, say: string): Step => ({
  outcome: "plan_complete",
  summary: say,
  plan: `## Steps\n\n1. Add \`backoff.sh\` with the delay.\n2. ${steps}\n3. Give up after the fifth attempt.\n\n## Not part of it\n\nA page to see dead deliveries.`,
  plan_summary: say,
  subtasks: ["Delay function", "Queue on the jobs table"],
});

const implement = (text: string, summary: string, done: readonly number[]): Step => ({
  role: "implement",
  think: "The test compares the number of attempts.",
  say: "I change retry.sh.",
  files: { "retry.sh": `#!/bin/sh\n${text}\n`, "backoff.sh": "#!/bin/sh\necho 2\n" },
  outcome: { outcome: "implemented", summary, subtasks_done: done },
  usage: usage(0.97),
});

/** Plans twice, fails a check once and a review once. */
const CAREFUL: readonly Step[] = [
  { role: "plan", outcome: plan("Add a table webhook_retries.", "Retries get a table."), usage: usage(0.48) },
  {
    role: "plan_revision",
    outcome: plan("Use the jobs table.", "Failed deliveries are tried again five times."),
    usage: usage(0.31),
  },
  implement("echo 6 attempts", "retry.sh tries again.", [1]),
  implement("echo 5 attempts", "retry.sh gives up after 5 attempts.", [1, 2]),
  {
    role: "review",
    outcome: {
      outcome: "changes_requested",
      summary: "The delay grows **without a cap**.",
      comments: [{ file: "backoff.sh", line: 2, severity: "critical", comment: "There is no cap." }],
    },
    usage: usage(0.36),
  },
  {
    role: "request_changes",
    files: { "backoff.sh": "#!/bin/sh\n# At most one hour.\necho 2\n" },
    outcome: {
      outcome: "implemented",
      summary: "The delay has a cap.",
      comments_answered: [{ comment: 1, answer: "Added a cap of one hour." }],
    },
    usage: usage(0.71),
  },
  { role: "review", outcome: { outcome: "approved", summary: "Right now.", comments: [] }, usage: usage(0.4) },
];

/** Proposes two fixes, and proves the chosen one with a test. */
const FIXER: readonly Step[] = [
  {
    role: "investigate",
    outcome: {
      outcome: "investigation_complete",
      report: "## Cause\n\n`greet.sh` prints a different text than the test expects.",
      summary: "greet.sh prints the wrong text.",
      options: [
        { id: "text", title: "Change the text", description: "One line.", recommended: true },
        { id: "test", title: "Change the test", description: "Hides the bug.", recommended: false },
      ],
      subtasks: ["Print the right greeting"],
    },
  },
  {
    role: "implement",
    files: { "greet.sh": "#!/bin/sh\necho hello\n", "test/greet.test.sh": 'test "$(sh greet.sh)" = hello\n' },
    outcome: { outcome: "implemented", summary: "greet.sh says hello." },
  },
  { role: "review", outcome: { outcome: "approved", summary: "Right.", comments: [] } },
];

const STAGED: readonly Step[] = [
  {
    role: "plan",
    outcome: {
      outcome: "plan_complete",
      summary: "Write a report about the licences.",
      prompt: "Read README.md and write reports/licences.md.",
      tools: ["Read", "Write"],
      directories: ["reports"],
      commands: [],
      network: [],
      needs_git: false,
      system_prompt: "",
      estimate: { tokens: 40_000, minutes: 5, usd: 0.4 },
      reasoning: "Only one file is written.",
    },
  },
  {
    role: "execute",
    files: { "reports/licences.md": "# Licences\n\nMIT\n" },
    outcome: { outcome: "completed", summary: "The report is written.", result: "1 package, licence **MIT**." },
    usage: usage(0.2),
  },
];

/** Names, output and Markdown that try to run a script, load an image or imitate the page. */
export const EVIL = '<script>alert("x")</script><img src=x onerror=alert(1)>';
const HOSTILE: readonly Step[] = [
  {
    role: "plan",
    outcome: {
      ...plan(`${EVIL} [click](javascript:alert(1)) ![i](https://evil.example/x.png)`, EVIL),
      subtasks: [EVIL],
    },
  },
  {
    role: "implement",
    files: { "retry.sh": "echo 6 attempts\n", "<img src=x onerror=alert(2)>.txt": "x" },
    outcome: { outcome: "implemented", summary: `${EVIL} \u202egnp` },
  },
];

const SLOW: readonly Step[] = [
  { role: "implement", say: "I wait.", delay: "1h", outcome: { outcome: "implemented", summary: "waited" } },
];

const ASKING: readonly Step[] = [
  {
    role: "implement",
    outcome: {
      outcome: "needs_info",
      summary: "Whom should it greet?",
      questions: [
        { id: "whom", question: "Whom should it greet?", context: null, input: "text", options: [], default: "all" },
      ],
    },
  },
  {
    role: "implement",
    files: { "notes.txt": "greeted\n" },
    outcome: { outcome: "implemented", summary: "It greets." },
  },
  { role: "review", outcome: { outcome: "approved", summary: "Fine.", comments: [] } },
];

const AGENTS = { careful: CAREFUL, fixer: FIXER, planner: STAGED, hostile: HOSTILE, slow: SLOW, asking: ASKING };
export type SceneAgent = keyof typeof AGENTS;

const CHECK = String.raw`printf '\033[31mAssertionError\033[0m: expected 5 attempts, got 6  <b>retry.sh</b>:2\n'; exit 1`;

const settings = (folder: string): string => `${Object.keys(AGENTS)
  .map((name) => `  ${name}: { kind: scripted, script: ${JSON.stringify(join(folder, `${name}.json`))} }`)
  .join("\n")}
checks:
  build: { command: "true" }
  lint: { command: "echo two warnings; exit 2", severity: warning }
  test: { command: "sh check.sh" }
`;

const FILES = {
  "greet.sh": "#!/bin/sh\necho bye\n",
  "check.sh": `echo running\nfor f in test/*.sh; do [ -e "$f" ] && { sh "$f" || exit 1; }; done\nif grep -q '6 attempts' retry.sh 2>/dev/null; then ${CHECK}; fi\necho done\n`,
};

/** A user whose agents play the scenes above. One check fails in some of them, and one on the base commit too. */
export async function createSceneUser(): Promise<PageUser> {
  const folder = await mkdtemp(join(tmpdir(), "nightshift-scenes-"));
  for (const [name, steps] of Object.entries(AGENTS))
    await writeFile(join(folder, `${name}.json`), JSON.stringify(steps));
  const user = await createPageUser({ settings: settings(folder), files: FILES });
  return {
    ...user,
    async cleanUp() {
      await user.cleanUp();
      await rm(folder, { recursive: true });
    },
  };
}

export interface SceneTask {
  readonly agent: SceneAgent;
  readonly pipeline: string;
  readonly title: string;
  /** Further fields of the request. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Submits a task of the project `shop`. */
export async function submitScene(
  { client }: PageUser,
  { agent, pipeline, title, more }: SceneTask,
): Promise<TaskJson> {
  const body = { project: "shop", pipeline, title, description: `${title}.`, agent, ...more };
  return await client.call("POST /tasks", { body });
}

/** A scene has up to a dozen runs, one after the other. */
const SETTLE_MS = 200_000;
const POLL_MS = 200;

/** Waits until a task waits for a person or has ended. */
export async function settle({ client }: PageUser, id: string): Promise<TaskJson> {
  const start = performance.now();
  for (;;) {
    const task = await client.call("GET /tasks/:id", { params: { id } });
    if (task.status !== "queued" && task.status !== "running") return task;
    if (performance.now() - start > SETTLE_MS) throw new Error(`${id} is still ${task.status} in ${task.state}`);
    await wait(POLL_MS);
  }
}

/** Approves the document that a task waits with, and waits until it waits again or has ended. */
export async function approveScene(user: PageUser, id: string): Promise<TaskJson> {
  const { waiting_for: waiting } = await settle(user, id);
  const hash = waiting?.kind === "approval" ? waiting.plan_hash : null;
  await user.client.call("POST /tasks/:id/approve", { params: { id }, body: { plan_hash: hash } });
  return await settle(user, id);
}

/** A feature whose plan was revised, whose checks failed once, and whose review asked for changes. It waits for its merge. */
export async function playFeature(user: PageUser): Promise<TaskJson> {
  const title = "Retry webhook deliveries with back-off";
  const more = { tags: ["webhooks"], priority: "high", size: "m", budget_usd: 15 };
  const { id } = await submitScene(user, { agent: "careful", pipeline: "feature", title, more });
  await settle(user, id);
  const body = { feedback: "No new table, we have jobs." };
  await user.client.call("POST /tasks/:id/revise", { params: { id }, body });
  return await approveScene(user, id);
}

/** A bug whose fix was chosen, implemented and proven. It waits for its merge. */
export async function playBug(user: PageUser): Promise<TaskJson> {
  const { id } = await submitScene(user, { agent: "fixer", pipeline: "bug", title: "greet.sh says goodbye" });
  await settle(user, id);
  const body = { option: "text", note: "The test is right.", then: "implement" } as const;
  await user.client.call("POST /tasks/:id/choose", { params: { id }, body });
  return await settle(user, id);
}

/** A staged task that wrote a file. */
export async function playStaged(user: PageUser): Promise<TaskJson> {
  const { id } = await submitScene(user, { agent: "planner", pipeline: "staged", title: "List the licences" });
  return await approveScene(user, id);
}

/** A task whose every text is hostile. Its checks keep failing. */
export async function playHostile(user: PageUser): Promise<TaskJson> {
  const title = `${EVIL} \u202egnp.exe ${"verylongword".repeat(12)}`;
  const { id } = await submitScene(user, { agent: "hostile", pipeline: "feature", title });
  return await approveScene(user, id);
}
