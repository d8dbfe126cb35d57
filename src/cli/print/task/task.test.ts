import { expect, test } from "vitest";
import type { TaskJson } from "../../../http/client/client.ts";
import type { WaitingForJson } from "../../../http/contract/task.ts";
import { textWidth } from "../terminal/fit-text.ts";
import { summary } from "./summary.ts";
import { checksTable, facts, runsTable, taskLine } from "./task.ts";
import { describeWaiting } from "./waiting.ts";

const SINCE = "2026-11-16T02:00:00.000Z";
const plain = { color: false };

/** The fields of a task that printing uses. */
function task(more: Partial<TaskJson> = {}): TaskJson {
  const base = {
    id: "task_1",
    title: "Greet\u001b[2J people",
    state: "implementing",
    status: "running",
    waiting_for: null,
    queued_for: null,
    reason: null,
    category: null,
  };
  const sums = { runs: [], checks: [], artifacts: [], duration_ms: 61_000, cost_usd: 0.5, unknown_cost: 1 };
  // These lines do not depend on the other fields of a task.
  return { unchecked: [], ...base, ...sums, ...more } as unknown as TaskJson;
}

const ownCheck: TaskJson["checks"][number] = {
  run: "run_1",
  name: "no-secrets",
  severity: "error",
  status: "failed",
  exit_code: null,
  duration_ms: 0,
  tail: "- error key a.ts:1: a key",
};

test("task line: shows the status and what the task is queued for", () => {
  expect(taskLine(plain, task())).toBe("task_1  running in implementing  Greet people\n");
  const until = new Date(Date.now() + 4.5 * 3_600_000).toISOString();
  expect(taskLine(plain, task({ queued_for: { kind: "quota", until, reason: null, task: null, files: [] } }))).toMatch(
    / – quota, next attempt in 4 h \((tomorrow )?\d\d:\d\d\) {2}Greet people\n$/,
  );
});

test("task line: on a terminal it fits, with a shortened id", () => {
  const long = task({ id: "task_3k9x2f7m1q", short_id: "task_3k9x2f", title: "Greet everyone ".repeat(20) });
  const [line = "", rest] = taskLine({ color: false, width: 70 }, long).split("\n");
  expect(line).toMatch(/^task_3k9x2f {2}running in implementing {2}Greet .*…$/);
  expect([textWidth(line) <= 70, rest]).toEqual([true, ""]);
  const [first, second = ""] = taskLine({ color: false, width: 50 }, long).split("\n");
  expect([first, second.slice(0, 8)]).toEqual(["task_3k9x2f  running in implementing", "  Greet "]);
  expect(taskLine(plain, long)).toMatch(/^task_3k9x2f7m1q /);
});

test("show: commands to copy have the short id and the short hash of the plan", () => {
  const hash = "5f2c1d9e0b7a3344".padEnd(64, "0");
  const waiting = task({
    id: "task_3k9x2f7m1q",
    short_id: "task_3k9x2f",
    status: "waiting",
    waiting_for: { kind: "approval", since: SINCE, plan_hash: hash, document: null, reasons: ["It needs git."] },
  });
  const terminal = { color: false, width: 80 };
  expect(describeWaiting(terminal, waiting)).toContain("Waiting for your approval:\n  - It needs git.\n");
  expect(describeWaiting(terminal, waiting)).toContain("→ nightshift approve task_3k9x2f --plan 5f2c1d9e0b7a\n");
  expect(describeWaiting(terminal, waiting)).toContain("→ nightshift show task_3k9x2f\n");
  expect(describeWaiting(terminal, waiting, { isPlanShown: true })).not.toContain("nightshift show");
  const refused = describeWaiting(terminal, { ...waiting, plan: { problems: ["/etc belongs to the system."] } });
  expect(refused).toContain("  - Cannot be granted: /etc belongs to the system.\n  - It needs git.\n");
  expect(refused).toContain("→ nightshift approve task_3k9x2f --edit\n");
});

test("summary: says why nothing vouches for a published change, although the task succeeded", () => {
  const run = { outcome: "published", payload: { unverified: "no checks configured" } };
  // The line does not depend on the other fields of a run.
  const runs = [run] as unknown as TaskJson["runs"];
  expect(summary(plain, task({ status: "succeeded", runs }))).toContain("  not verified: no checks configured\n");
  expect(summary(plain, task({ status: "succeeded" }))).not.toContain("not verified");
});

test.for<[WaitingForJson, readonly string[]]>([
  [
    { kind: "approval", since: SINCE, reasons: [], document: null, plan_hash: "5f2c" },
    ["nightshift approve task_1 --plan 5f2c"],
  ],
  [{ kind: "review", since: SINCE }, ["nightshift approve task_1 or nightshift reject task_1"]],
  [
    { kind: "merge", since: SINCE, problem: null },
    ["merged", "→ nightshift diff task_1", "→ nightshift merge task_1", '→ nightshift follow-up task_1 "…"'],
  ],
  [{ kind: "merge", since: SINCE, problem: { reason: "its CI failed", retry_at: null } }, ["merged: its CI failed"]],
  [
    {
      kind: "answers",
      since: SINCE,
      questions: [
        {
          id: "whom",
          question: "Whom?\u0007",
          context: null,
          input: "choice",
          options: ["night", "day"],
          default: "night",
          deadline: null,
        },
      ],
    },
    ["  whom: Whom? [night | day] (default: night)", "nightshift answer task_1 whom=night\n"],
  ],
  [
    {
      kind: "choice",
      since: SINCE,
      reason: "Two ways.",
      options: [{ id: "b", title: "The small one", description: "", recommended: true }],
      about: "fix",
      needs_note: false,
      next_steps: ["plan", "implement"],
    },
    ["Two ways.", "  b: The small one (recommended)", "→ nightshift choose task_1 b\n", "add --then implement"],
  ],
  [
    {
      kind: "choice",
      since: SINCE,
      reason: "No check gave a result.",
      options: ["publish", "repair"].map((id) => ({ id, title: id, description: "", recommended: false })),
      about: "checks",
      needs_note: true,
      next_steps: [],
    },
    ['→ nightshift choose task_1 publish --note "…"\n', '→ nightshift choose task_1 repair --note "…"\n'],
  ],
])("says what a person is asked: %o", ([waiting, words]) => {
  const said = describeWaiting(plain, task({ status: "waiting", waiting_for: waiting }));
  for (const word of words) expect(said).toContain(word);
});

test.each([
  [["night shift"], null, "whom='night shift'"],
  [["it's"], null, "whom='it'\\''s'"],
  [[], null, 'whom="…"'],
  [[], "x\u001b'\\''; rm -rf ~; '", 'whom="…"'],
  [[], "two\nlines", 'whom="…"'],
  [[], "x".repeat(5_000), 'whom="…"'],
] as const)("the command to answer with %j or %j by default can be copied as %s", (options, standard, word) => {
  const question = { id: "whom", question: "Whom?", context: null, input: "text", deadline: null } as const;
  const questions = [{ ...question, options: [...options], default: standard }];
  const waiting = task({ status: "waiting", waiting_for: { kind: "answers", since: SINCE, questions } });
  const text = describeWaiting(plain, waiting);
  expect(text).toContain(`→ nightshift answer task_1 ${word}\n`);
});

test("summary: prints the known and the unknown cost", () => {
  const ended = task({
    status: "failed",
    reason: "the checks failed",
    artifacts: [{ type: "branch", label: "agent/greet", url: null, data: {} }],
  });
  expect(summary(plain, ended)).toBe(
    "task_1  failed in implementing  Greet people\n  0 runs in 1 min 1 s, cost $0.50 and 1 unknown\n  branch: agent/greet\n  reason: the checks failed\n",
  );
});

test("summary: prints the findings of the last checks, and a reason without them", () => {
  const ended = task({
    status: "failed",
    reason: "the change is refused:\n- error key a.ts:1: a key",
    runs: [{ id: "run_1" }] as TaskJson["runs"],
    checks: [ownCheck],
  });
  expect(summary(plain, ended)).toContain(
    "  reason: the change is refused:\n\nFindings\n  no-secrets failed in run_1\n    - error key a.ts:1: a key\n",
  );
});

test("checks table: the engine's own checks have their own result words", () => {
  const checks = [
    ownCheck,
    { ...ownCheck, severity: "warning" },
    { ...ownCheck, status: "passed", severity: "warning" },
  ];
  const [, ...lines] = checksTable(plain, task({ checks: checks as TaskJson["checks"] }))
    .trimEnd()
    .split("\n");
  expect(lines.map((line) => line.split(/ {2,}/).slice(2, 4))).toEqual([
    ["failed", "error"],
    ["warned", "warning"],
    ["passed", "–"],
  ]);
});

test("runs table: each run shows its sandbox", () => {
  const run = { id: "run_1", state: "implementing", role: "implement", step: "agent", status: "succeeded" };
  const runs = [
    { ...run, duration_ms: 5, cost_usd: 0, sandbox: "none" },
    { ...run, duration_ms: 5, cost_usd: 0, sandbox: null },
  ];
  const [heading, first, second] = runsTable(plain, runs as unknown as TaskJson["runs"]).split("\n");
  expect([heading, first, second].map((line) => line?.split(/ {2,}/).at(-1))).toEqual(["SANDBOX", "none", "–"]);
});

test("summary: an improvement shows its category, and its change request or what it analyzed", () => {
  const request = { type: "change_request", label: "Say more", url: "https://forge.example/7", data: {} } as const;
  const published = task({ status: "succeeded", category: "docs (fallback from tests)", artifacts: [request] });
  expect(summary(plain, published)).toContain(
    "  category: docs (fallback from tests)\n  change request: https://forge.example/7\n",
  );
  const reason = "tests: covered (7 files)\ndocs: all is described (7 files)";
  const nothing = task({
    pipeline: "improve",
    status: "succeeded",
    state: "no_improvement",
    category: "docs (fallback from tests)",
    reason,
  });
  expect(summary(plain, nothing)).toMatch(
    /unknown\n {2}reason:\n {4}tests: covered \(7 files\)\n {4}docs: all is described \(7 files\)\n$/,
  );
  expect(summary(plain, task({ status: "succeeded", reason: "agent/x at 1" }))).not.toContain("reason");
});

test("facts: name the checks that were not accepted", () => {
  expect(
    facts(plain, task({ unchecked: ["build", "test"], branch: null, base_commit: null, head_commit: null })),
  ).toContain("not checked, because the project's checks are not accepted: build, test");
});
