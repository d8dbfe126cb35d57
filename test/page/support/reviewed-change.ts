import type { TaskJson } from "../../../src/http/client/client.ts";
import { createPageUser, type PageUser } from "./page-user.ts";

const QUEUE = Array.from({ length: 60 }, (_, at) => `export const step${at} = ${at};`);
const queue = (from: number, to: number, text: string): string =>
  `${[...QUEUE.slice(0, from), text, ...QUEUE.slice(to)].join("\n")}\n`;

/** Names and content that would do harm on a page that does not expect them. */
export const HOSTILE = {
  script: "src/<script>alert(1)<&2>.ts",
  quotes: `src/"quoted" 'name'.ts`,
  bidi: "src/\u202Etxt.exe.ts",
  long: `src/${"very-long-name-".repeat(14)}.ts`,
};

const HOSTILE_TEXT = [
  "<script>document.title = 'owned'</script>",
  "<img src=x onerror=\"document.title = 'owned'\">",
  "const admin = 'x'; /* \u202E } if (isAdmin) begin \u2066 */",
  "\u001B[31mred\u001B[0m",
  "x".repeat(3000),
];

const BACKOFF = `const FIRST_MS = 30_000;
const MOST_MS = 6 * 3_600_000;

/** When to try again: doubles each time, at most six hours, up to a fifth earlier. */
export function delayBefore(attempt: number, random = Math.random): number {
  const full = Math.min(FIRST_MS * 2 ** (attempt - 1), MOST_MS);
  return Math.round(full * (1 - random() * 0.2));
}
`;

const MOVED = "# Webhooks\n\nA receiver answers within ten seconds.\n";

const BASE = {
  "src/webhooks/retry-queue.ts": queue(0, 0, "// queue"),
  "src/webhooks/old.ts": "export const old = true;\n",
  "scripts/replay-webhook.sh": '#!/usr/bin/env sh\ncurl -X POST "$1" -d @"$2"\n',
  "docs/webhooks.md": MOVED,
};

const CHANGE = {
  "src/webhooks/backoff.ts": BACKOFF.replace("Math.min(", "("),
  "src/webhooks/retry-queue.ts": queue(20, 22, "export const step20 = delayBefore(1);"),
  "src/webhooks/old.ts": null,
  "scripts/replay-webhook.sh": '#!/usr/bin/env sh\nset -eu\ncurl -X POST "$1" --data-binary @"$2" --max-time 10\n',
  "docs/webhooks.md": null,
  "docs/guides/webhooks.md": MOVED,
  [HOSTILE.script]: `${HOSTILE_TEXT.join("\n")}\n`,
  [HOSTILE.quotes]: "export {};\n",
  [HOSTILE.bidi]: "export {};\n",
  [HOSTILE.long]: "export {};\n",
};

const SCRIPT = [
  {
    role: "implement",
    files: CHANGE,
    commands: ["chmod +x scripts/replay-webhook.sh", "printf 'PNG\\000\\001' > logo.png"],
    outcome: { outcome: "implemented", summary: "Deliveries are tried again with growing delays." },
  },
  {
    role: "request_changes",
    files: { "src/webhooks/backoff.ts": BACKOFF },
    outcome: {
      outcome: "implemented",
      summary: "Clamped.",
      comments_answered: [{ comment: 1, answer: "Clamped before the jitter." }],
    },
  },
  {
    role: "request_changes",
    files: { "src/webhooks/backoff.ts": BACKOFF.replace("0.2", "SHARE") },
    outcome: {
      outcome: "implemented",
      summary: "Uses the settings.",
      comments_answered: [{ comment: 1, answer: "It comes from the settings now." }],
    },
  },
  {
    role: "request_changes",
    files: { "src/webhooks/backoff.ts": BACKOFF.replace("0.2", "SHARE / 2") },
    outcome: { outcome: "implemented", summary: "Halved." },
  },
  {
    role: "review",
    outcome: {
      outcome: "changes_requested",
      summary: "The cap does not hold.",
      comments: [
        {
          file: "src/webhooks/backoff.ts",
          line: 6,
          severity: "suggestion",
          comment: "Clamp before the jitter, otherwise **the cap** can be passed by 20 %. <script>alert(1)</script>",
        },
        { severity: "nit", comment: "The title could name the cap." },
      ],
    },
  },
  { role: "review", outcome: { outcome: "approved", summary: "Holds now.", comments: [] } },
];

const PLAN = {
  role: "plan",
  outcome: { outcome: "plan_complete", plan: "1. Retry.", plan_summary: "Retry", subtasks: [], files: [] },
};

const WAIT_MS = 120_000;

export interface ReviewedChange {
  readonly user: PageUser;
  readonly task: TaskJson;
  /** Waits until the task waits for its merge at another commit than this one. */
  waitForNewCommit(before: string | null): Promise<TaskJson>;
}

/** A change with review comments, findings and hostile names that waits for its merge. */
export async function createReviewedChange(): Promise<ReviewedChange> {
  const user = await createPageUser({ script: [PLAN, ...SCRIPT], settings: "gates: { plan: auto }\n", files: BASE });
  const { id } = await user.client.call("POST /tasks", {
    body: { project: "shop", pipeline: "feature", description: "Retry webhook deliveries with back-off" },
  });
  const read = () => user.client.call("GET /tasks/:id", { params: { id } });
  const waitForNewCommit = async (before: string | null): Promise<TaskJson> => {
    const end = performance.now() + WAIT_MS;
    for (;;) {
      const task = await read();
      if (task.waiting_for?.kind === "merge" && task.head_commit !== before) return task;
      if (performance.now() > end) throw new Error(`still ${task.status} in ${task.state}: ${task.reason}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  return { user, task: await waitForNewCommit(null), waitForNewCommit };
}
