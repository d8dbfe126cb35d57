import { lexer, type Token } from "marked";
import { expect, test } from "vitest";
import type { MergeOrderJson, ReportedTaskJson, ReportJson } from "../../../http/client/client.ts";
import { reportHtml, reportMarkdown, reportText } from "./formats.ts";
import { outlineReport } from "./outline.ts";

const NOW = Date.parse("2026-11-16T06:00:00Z");
const none = { total: 0, tasks: [] };
const sums = {
  runs: 3,
  cost_usd: 1.25,
  unknown_cost: 1,
  tokens: null,
  unknown_tokens: 3,
  basis: { reported: 2, metered: 0, computed: 0, unknown: 1 },
};

const REVIEW: ReportedTaskJson = {
  id: "task_1",
  short_id: "task_1",
  title: "Greet people",
  project: "shop",
  pipeline: "feature",
  status: "waiting",
  state: "merging",
  outcome: null,
  category: null,
  reason: null,
  waiting_for: "merge",
  waiting_since: "2026-11-16T01:00:00.000Z",
  deadline: null,
  branch: "nightshift/greet",
  change_request: { number: 7, url: "https://forge.example/7", state: "open" },
  change: {
    files: 2,
    insertions: 40,
    deletions: 3,
    risk: { level: "medium", reasons: ["test: flaky"] },
    reading_minutes: 3,
    proof: null,
  },
  cost_usd: 1.25,
  unknown_cost: 1,
  duration_ms: 720_000,
  finished_at: null,
  next: ["https://forge.example/7", "nightshift merge task_1", 'nightshift reject task_1 "…"'],
};

function makeReport(over: Partial<ReportJson> = {}, review: readonly ReportedTaskJson[] = [REVIEW]): ReportJson {
  return {
    night: "2026-11-15",
    since: "2026-11-15T11:00:00.000Z",
    until: "2026-11-16T06:00:00.000Z",
    time_zone: "Europe/Paris",
    verdict: { level: "attention", fact: "The shift ran to the end.", consequence: "1 change is ready to review." },
    problems: [],
    sections: {
      decide: none,
      review: { total: review.length, tasks: [...review] },
      failed: none,
      running: none,
      queued: none,
      skipped: none,
      merged: none,
      done: none,
      cancelled: none,
    },
    missed: [],
    spans: [],
    gaps: [],
    money: {
      costs: {
        since: "2026-11-15T11:00:00.000Z",
        until: "2026-11-16T06:00:00.000Z",
        time_zone: "Europe/Paris",
        by: ["agent"],
        rows: [
          { agent: "claude-code", ...sums },
          { agent: "codex", ...sums, cost_usd: null },
        ],
        total: sums,
      },
      budgets: [],
    },
    previous: {
      since: "2026-11-14T11:00:00.000Z",
      until: "2026-11-15T11:00:00.000Z",
      succeeded: 2,
      failed: 1,
      cost_usd: 0.5,
    },
    ...over,
  };
}

test("report: the text has the verdict first, then sections with the next step, then the cost", () => {
  expect(reportText({ color: false }, outlineReport(makeReport(), NOW))).toBe(
    [
      "Night of 2026-11-15 (yesterday 12:00 to today 07:00, Europe/Paris)",
      "The shift ran to the end. 1 change is ready to review.",
      "",
      "To review",
      "  task_1 Greet people",
      "    shop, feature, medium risk (test: flaky), about 3 min to read, 2 files +40 −3, $1.25 and 1 run of unknown cost, 12 min",
      "    → https://forge.example/7",
      "    → nightshift merge task_1",
      "",
      "Cost",
      "  $1.25 for 3 agent runs (claude-code $1.25, codex cost unknown), without 1 run of unknown cost",
      "  the night before: $0.50, 2 succeeded, 1 failed",
      "",
    ].join("\n"),
  );
});

test("report: a cost that is unknown for every run is mentioned once", () => {
  const report = makeReport();
  const { costs } = report.money;
  const total = { ...costs.total, runs: 4, cost_usd: null, unknown_cost: 4 };
  const rows = costs.rows.map((row) => ({ ...row, cost_usd: null }));
  const text = reportText(
    { color: false },
    outlineReport({ ...report, money: { ...report.money, costs: { ...costs, total, rows } } }, NOW),
  );
  expect(text).toContain("\n  cost unknown (4 agent runs)\n");
});

test("report: problems come first, and a cut list says how many tasks are missing", () => {
  const problems = [{ text: "codex needs a login: rejected", command: "nightshift doctor", agent: "codex", tasks: 2 }];
  const outline = outlineReport(
    makeReport({ problems, missed: [{ at: "2026-11-15T22:00:00.000Z", text: "late" }] }),
    NOW,
  );
  expect(outline.sections.map(({ name }) => name)).toEqual(["Fix first", "To review", "Not started in time", "Cost"]);
  expect(outline.sections[0]?.items).toEqual([
    { text: "codex needs a login: rejected", facts: ["2 tasks wait for this"], next: ["nightshift doctor"] },
  ]);
  const cut = makeReport();
  cut.sections.queued = { total: 9, tasks: [{ ...REVIEW, status: "queued", next: [] }] };
  const queued = outlineReport(cut, NOW).sections.find(({ name }) => name === "Queued (9)");
  expect(queued?.items.at(-1)?.text).toBe("and 8 more");
});

test.each([
  ["proven", ", fix proven by its tests"],
  ["not_proven", ", fix not proven"],
  ["no_test", ", fix without a test"],
  [null, ""],
] as const)("report: a change with the proof %s says so", (proof, words) => {
  const change = REVIEW.change === null ? null : { ...REVIEW.change, proof };
  const [section] = outlineReport(makeReport({}, [{ ...REVIEW, change }]), NOW).sections;
  expect(section?.items[0]?.facts[0]).toContain(`2 files +40 −3${words}, $1.25`);
});

type Branch = MergeOrderJson["branches"][number];

function listMergeOrder(...branches: readonly Pick<Branch, "short_id" | "conflicts" | "target_conflicts">[]) {
  const order = {
    target: "main",
    left_out: 0,
    branches: branches.map((each) => {
      const { short_id: id } = each;
      return { task: `task_${id}`, title: `Change ${id}`, branch: `agent/${id}`, commit: "a".repeat(40), ...each };
    }),
  };
  return outlineReport(makeReport(), NOW, [order]).sections.find(({ name }) => name === "Merge in this order");
}

test("report: branches that conflict are listed in the order in which to merge them", () => {
  const first = { short_id: "a", conflicts: [], target_conflicts: [] };
  const conflicts = [{ task: "task_a", files: ["x.ts"] }];
  expect(listMergeOrder(first, { short_id: "b", conflicts, target_conflicts: ["y.ts"] })?.items).toEqual([
    { text: "1. a Change a", facts: [], next: [] },
    { text: "2. b Change b", facts: ["conflicts with main: y.ts", "conflicts with a: x.ts"], next: [] },
  ]);
});

test("report: branches that can be merged in any order are not listed", () => {
  const free = { conflicts: [], target_conflicts: [] };
  expect(listMergeOrder({ short_id: "a", ...free }, { short_id: "b", ...free })).toBeUndefined();
});

/** What hostile titles, reasons and addresses could contain. */
const HOSTILE =
  '<script>alert(1)</script> [x](javascript:alert(1)) ![y](//evil) `**b**` \u001b[2J\n# Heading\n- item & "q"';

function hostileReport(): ReportJson {
  const change_request = { number: 7, url: 'javascript:alert("1")', state: "open" } as const;
  const task = { ...REVIEW, title: HOSTILE, reason: HOSTILE, project: HOSTILE, change_request };
  return makeReport({}, [{ ...task, next: [change_request.url, `https://x/"><img src=x onerror=alert(1)>`] }]);
}

function tagsIn(html: string): readonly string[] {
  const names = [...html.matchAll(/<\/?([a-z0-9]+)[^>]*>/gi)].map(([, name]) => name ?? "");
  return [...new Set(names)].toSorted((a, b) => a.localeCompare(b));
}

test("report: hostile text adds no element, link or line to the HTML page", () => {
  const clean = reportHtml(outlineReport(makeReport(), NOW));
  const html = reportHtml(outlineReport(hostileReport(), NOW));
  expect(tagsIn(html)).toEqual(tagsIn(clean).filter((name) => name !== "a"));
  expect(html).not.toMatch(/href="(?!https:\/\/)/);
  expect(html).not.toContain("\u001b");
  expect(clean).toContain('<a href="https://forge.example/7">');
});

test("report: hostile text is only text in Markdown", () => {
  const types = (tokens: readonly Token[]): readonly string[] =>
    tokens.flatMap((token) => [
      token.type,
      ...("tokens" in token && token.tokens ? types(token.tokens) : []),
      ...("items" in token ? types(token.items as Token[]) : []),
    ]);
  const markdown = reportMarkdown(outlineReport(hostileReport(), NOW));
  const found = new Set(types(lexer(markdown)));
  for (const type of ["html", "image", "link", "blockquote", "code"]) expect(found, type).not.toContain(type);
  expect(markdown.match(/^#/gm)).toHaveLength(3);
});
