import { afterEach, expect, it } from "vitest";
import { reviewsOf } from "../../src/core/task/documents/review.ts";
import { git } from "../../src/testing/temp-repo.ts";
import { ALICE, openNight, type Night } from "../support/night.ts";

let night: Night | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
});

/** Plans and implements as it should. Only the reviewer differs. */
function agentWhoseReviewer(does: string): string {
  return `case "$NIGHTSHIFT_ROLE" in
plan) printf '{"outcome":"plan_complete","plan":"Greet.","plan_summary":"Greet","subtasks":[]}' > "$OUT";;
implement) echo "hello, world" > greeting.txt; done_with Greets;;
review) ${does};;
esac`;
}

const REVIEWERS = {
  "that only says that it approves": "echo 'Approved. Looks good to me.'",
  "that crashes": "exit 1",
  "that reports an outcome of another role": "done_with 'I approve my own work'",
  "that approves another commit": `printf '{"outcome":"approved","summary":"Fine.","comments":[],"commit":"%s"}' 1234567890 > "$OUT"`,
};

it.each(Object.entries(REVIEWERS))(
  "a reviewer %s approves nothing: a person decides, also with gates.merge auto",
  { timeout: 120_000 },
  async (_, reviewer) => {
    night = await openNight({
      timeoutMs: 100_000,
      agent: agentWhoseReviewer(reviewer),
      settings: "gates: { plan: auto, merge: auto }\nchecks:\n  test: { command: sh test.sh }\n",
    });
    const { submit, until, repo, commands, path } = night;
    const { id } = await submit({ pipeline: "feature" });
    const task = await until(id, ({ waitingFor }) => waitingFor?.kind === "merge" && waitingFor.problem !== undefined);
    expect(task).toMatchObject({
      state: "merging",
      waitingFor: { problem: { reason: expect.stringContaining("no reviewer judged this commit"), retryAt: null } },
    });
    expect(await path(id)).toContain("reviewing>merging");
    expect(reviewsOf(task)).toEqual([]);
    expect(await git(repo.remote, "show", "main:greeting.txt")).toBe("hello");

    await expect(commands.merge(id, {}, ALICE)).rejects.toThrow(/no reviewer judged/);
    expect(await git(repo.remote, "show", "main:greeting.txt")).toBe("hello");
    await commands.merge(id, { note: "I read it myself" }, ALICE);
    expect(await until(id, ({ status }) => status === "succeeded")).toMatchObject({ state: "done" });
    expect(await git(repo.remote, "show", "main:greeting.txt")).toBe("hello, world");
  },
);
