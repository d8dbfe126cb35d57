import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { reviewsOf, verdictFor } from "../../src/core/task/documents/review.ts";
import { openNight, type Night } from "../support/night.ts";

let night: Night | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
});

const REQUESTED =
  '{"outcome":"changes_requested","summary":"Not yet.","comments":[{"file":"greeting.txt","line":1,"severity":"critical","comment":"Whom?"},{"file":"missing.txt","line":700,"severity":"nit","comment":"Used?"}]}';
const ANSWERED =
  '{"outcome":"implemented","summary":"Handled.","comments_answered":[{"comment":1,"answer":"Greets all now."}]}';

/** One program in all roles. The reviewer asks for changes until the greeting is for all. */
const AGENT = `case "$NIGHTSHIFT_ROLE" in
plan) printf '{"outcome":"plan_complete","plan":"Greet.","plan_summary":"Greet","subtasks":[]}' > "$OUT";;
implement) echo "hello, world" > greeting.txt; done_with Greets;;
request_changes) echo "hello, all" > greeting.txt; printf '${ANSWERED}' > "$OUT";;
review) if grep -q all greeting.txt; then printf '{"outcome":"approved","summary":"Fine now.","comments":[]}' > "$OUT"; else printf '${REQUESTED}' > "$OUT"; fi;;
esac`;

it(
  "a feature without a forge is reviewed, changed and reviewed again, and waits for a merge",
  { timeout: 120_000 },
  async () => {
    night = await openNight({ timeoutMs: 100_000, agent: AGENT, settings: "gates: { plan: auto }\n" });
    const { submit, settled, runs, home } = night;
    const task = await settled((await submit({ pipeline: "feature" })).id);
    expect(task).toMatchObject({ state: "merging", waitingFor: { kind: "merge" } });
    expect(reviewsOf(task)).toMatchObject([
      { verdict: "changes_requested", comments: [{ answer: "Greets all now." }, { answer: null }] },
      { verdict: "approved", commit: task.headCommit },
    ]);
    expect(verdictFor(task, task.headCommit)?.verdict).toBe("approved");
    const reviewers = (await runs(task.id)).filter(({ role }) => role === "review");
    const prompt = await readFile(join(home, "runs", reviewers.at(-1)?.id ?? "", "prompt.md"), "utf8");
    expect(prompt).toContain("1. [critical] greeting.txt:1: Whom?\n   What the author did: Greets all now.");
    expect(prompt).toContain(task.headCommit);
  },
);
