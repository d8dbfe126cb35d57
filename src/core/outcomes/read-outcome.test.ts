import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AGENT_OUTCOMES, exampleOf, outcomesOf, type ReportScope } from "./outcome.ts";
import { PLAN_KINDS } from "./outcome-entry.ts";
import { readReport, toOptions, toQuestions } from "./read-outcome.ts";
import { type Role, ROLES } from "../task/role.ts";

describe("readReport", () => {
  it.each(ROLES.flatMap((role) => outcomesOf(role).map((name) => [role, name] as const)))(
    "accepts the example of %s: %s",
    (role, name) => {
      for (const plan of PLAN_KINDS)
        expect(readReport(exampleOf(name, plan), { role, plan })).toMatchObject({
          ok: true,
          outcome: { name, retryAt: null },
        });
    },
  );

  it("has a role for every outcome", () => {
    const reachable = new Set(ROLES.flatMap((role) => outcomesOf(role)));
    expect(AGENT_OUTCOMES.filter((name) => !reachable.has(name))).toEqual([]);
  });

  it("accepts the pipeline's kind of plan and rejects the other", () => {
    const [document, execution] = PLAN_KINDS.map((plan) => exampleOf("plan_complete", plan));
    const scopes = PLAN_KINDS.map((plan): ReportScope => ({ role: "plan", plan }));
    expect(scopes.map((scope) => readReport(document, scope).ok)).toEqual([true, false]);
    expect(scopes.map((scope) => readReport(execution, scope).ok)).toEqual([false, true]);
    expect(problem(execution, { role: "plan", plan: "document" })).toMatch(/"plan" is missing[^]*"plan_summary"/);
    expect(problem(document, { role: "plan", plan: "execution" })).toMatch(/"tools" is missing[^]*"needs_git"/);
  });

  it("keeps tools and directories of a plan that also contains a document", () => {
    const both = { ...exampleOf("plan_complete", "document"), ...exampleOf("plan_complete", "execution") };
    const report = readReport(both, { role: "plan_revision", plan: "execution" });
    expect(report).toMatchObject({ outcome: { payload: { tools: ["Read", "Write"], directories: ["reports"] } } });
    expect(report).not.toHaveProperty("outcome.payload.plan");
  });

  it("drops unknown keys", () => {
    const report = readReport(
      { outcome: "implemented", summary: "done", checks: "all green", commit: "abc" },
      as("implement"),
    );
    expect(report).toEqual({
      ok: true,
      outcome: { name: "implemented", summary: "done", payload: { summary: "done" }, retryAt: null },
    });
  });

  it("treats null as missing", () => {
    const review = {
      outcome: "approved",
      summary: "fine",
      comments: [{ file: null, line: null, severity: "nit", comment: "x" }],
    };
    expect(readReport(review, as("review")).ok).toBe(true);
    expect(readReport({ ...review, comments: null }, as("review"))).toMatchObject({
      outcome: { payload: { comments: [] } },
    });
  });

  it("derives a summary if the report has none", () => {
    const report = { outcome: "needs_info", questions: [{ id: "a", question: "Which one?", input: "text" }] };
    expect(readReport(report, as("implement"))).toMatchObject({ outcome: { summary: "Which one?" } });
    expect(readReport({ outcome: "no_improvement", reason: "clean", files_scanned: 0 }, as("analyze"))).toMatchObject({
      outcome: { summary: "clean" },
    });
  });

  it("rejects outcomes of other roles", () => {
    for (const role of ROLES) {
      const foreign = AGENT_OUTCOMES.filter((name) => !outcomesOf(role).includes(name));
      for (const name of foreign)
        expect(problem(exampleOf(name, "document"), as(role))).toContain(`not allowed for the role ${role}`);
    }
    expect(outcomesOf("implement")).not.toContain("approved");
  });

  it.each([
    [[], "found a list of 0"],
    [null, "found null"],
    ["implemented", 'found "implemented"'],
    [{}, '"outcome" must be a string; found nothing'],
    [{ outcome: 7 }, "found 7"],
    [{ outcome: "implmented" }, 'Did you mean "implemented"?'],
    [{ outcome: "merged", summary: "x" }, "may report implemented, needs_info, options_proposed"],
    [{ outcome: "toString" }, "is unknown to the role implement"],
    [{ outcome: "implemented" }, '"summary" is missing'],
    [{ outcome: "implemented", summary: "  \n" }, '"summary" must not be blank'],
    [{ outcome: "implemented", summary: "x".repeat(100_001) }, "at most 100000 characters; found 100001"],
    [{ outcome: "implemented", summary: ["x"] }, '"summary" must be string; found a list of 1'],
    [{ outcome: "\u001b]0;owned\u0007" }, "is unknown to the role implement"],
  ])("rejects %j for implement with a reason", (value, expected) => {
    const found = problem(value, as("implement"));
    expect(found).toContain(expected);
    expect(found).not.toMatch(/\u001b/);
  });

  it("lists all problems at once with their paths", () => {
    const found = problem(
      {
        outcome: "needs_info",
        questions: [
          { id: "a", question: "?", input: "textarea" },
          { id: "a", question: "?", input: "choice", options: ["one"] },
          { id: "b b", question: "?", input: "text", deadline: "tomorrow" },
        ],
      },
      as("plan"),
    );
    expect(found).toContain('"questions[0].input" must be one of "text", "choice", "boolean"; found "textarea".');
    expect(found).toContain('"questions[2].id" must be 1 to 64 letters');
    expect(found).toContain('"questions[2].deadline" must be an ISO 8601 time');
  });

  it.each([
    ["two questions with one id", "needs_info", { questions: [ask("a"), ask("a")] }, '"questions[1].id" is used twice'],
    ["no question", "needs_info", { questions: [] }, "at least 1 entries"],
    [
      "six questions",
      "needs_info",
      { questions: ["a", "b", "c", "d", "e", "f"].map(ask) },
      "at most 5 entries; found 6",
    ],
    [
      "a choice with one option",
      "needs_info",
      { questions: [{ ...ask("a"), input: "choice", options: ["x", "x"] }] },
      "at least two different",
    ],
    [
      "a default that is not an option",
      "needs_info",
      { questions: [{ ...ask("a"), input: "choice", options: ["x", "y"], default: "z" }] },
      'one of "options"',
    ],
    [
      "a deadline without default",
      "needs_info",
      { questions: [{ ...ask("a"), deadline: "2030-01-01T00:00:00Z" }] },
      'needs a "default"',
    ],
    [
      "two options with the same id",
      "options_proposed",
      { summary: "s", options: [option("a"), option("a")] },
      '"options[1].id" is used twice',
    ],
    [
      "a selection that is not a candidate",
      "improvement_found",
      { ...candidates(1, 2), selected: 3 },
      "rank of a candidate: 1, 2",
    ],
    [
      "two candidates with the same rank",
      "improvement_found",
      { ...candidates(1, 1), selected: 1 },
      "must have different ranks",
    ],
    ["six candidates", "improvement_found", { ...candidates(1, 2, 3, 4, 5, 6), selected: 1 }, "at most 5 entries"],
    [
      "a negative count",
      "no_improvement",
      { reason: "r", files_scanned: -1 },
      '"files_scanned" must be at least 0; found -1',
    ],
    [
      "an approval with a critical comment",
      "approved",
      { summary: "s", comments: [{ severity: "critical", comment: "broken" }] },
      "changes_requested",
    ],
  ])("rejects %s", (_, outcome, payload, expected) => {
    const role = ROLES.find((each) => outcomesOf(each).some((name) => name === outcome)) ?? "implement";
    expect(problem({ outcome, ...payload }, as(role))).toContain(expected);
  });

  it("returns a result for any JSON value", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom(...ROLES),
        fc.constantFrom(...AGENT_OUTCOMES),
        (value, role, outcome) => {
          const wrapped =
            typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value, outcome } : value;
          const report = readReport(wrapped, as(role));
          if (!report.ok) expect(report.problem).toMatch(/\S/);
        },
      ),
    );
  });
});

describe("toQuestions", () => {
  it("turns deadlines into milliseconds and booleans into yes and no", () => {
    const { outcome } = reported({
      outcome: "needs_info",
      questions: [
        { id: "a", question: "Now?", input: "boolean", default: true, deadline: "2030-01-01T01:00:00+01:00" },
        { id: "b", question: "Which?", input: "choice", options: ["x", "y"], context: "see README" },
      ],
    });
    expect(toQuestions(outcome.name === "needs_info" ? outcome.payload.questions : [])).toEqual([
      {
        id: "a",
        question: "Now?",
        context: null,
        input: "boolean",
        options: ["yes", "no"],
        default: "yes",
        deadline: Date.UTC(2030, 0, 1),
      },
      {
        id: "b",
        question: "Which?",
        context: "see README",
        input: "choice",
        options: ["x", "y"],
        default: null,
        deadline: null,
      },
    ]);
  });
});

describe("toOptions", () => {
  it("keeps pros and cons", () => {
    const { outcome } = reported({
      outcome: "options_proposed",
      summary: "two ways",
      options: [
        { ...option("a"), pros: ["quick", "small"], cons: "ugly" },
        { ...option("b"), recommended: true },
      ],
    });
    expect(toOptions(outcome.name === "options_proposed" ? outcome.payload.options : [])).toEqual([
      { id: "a", title: "A", description: "d\nFor: quick; small\nAgainst: ugly", recommended: false },
      { id: "b", title: "A", description: "d", recommended: true },
    ]);
  });
});

function reported(value: unknown) {
  const report = readReport(value, as("implement"));
  if (!report.ok) throw new Error(report.problem);
  return report;
}

function as(role: Role): ReportScope {
  return { role, plan: "document" };
}

function problem(value: unknown, scope: ReportScope): string {
  const report = readReport(value, scope);
  if (report.ok) throw new Error(`expected ${JSON.stringify(value)} to be refused`);
  return report.problem;
}

function ask(id: string) {
  return { id, question: "?", input: "text" };
}

function option(id: string) {
  return { id, title: "A", description: "d" };
}

function candidates(...ranks: readonly number[]) {
  return {
    category: "tests",
    candidates: ranks.map((rank) => ({ rank, title: "t", files: ["a"], description: "d", rationale: "r" })),
  };
}
