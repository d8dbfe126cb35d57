import { describe, expect, it } from "vitest";
import type { Task } from "../../../src/core/task/task.ts";
import { ALICE } from "../../support/night.ts";
import { NIGHTLY_DRAFT, TOKEN } from "../../support/nightly.ts";
import { branchesOf, expectNothingLeft, filesContaining } from "../../support/cleanup-checks.ts";
import { night, open, TEST_TIMEOUT, TIMEOUT_MS } from "../../support/shared-night.ts";

async function submitNight(only = false): Promise<string> {
  const { id } = await night.submit({ ...NIGHTLY_DRAFT, improve: { category: "docs", only, scheduledAt: null } });
  return id;
}

async function retryAndSettle(id: string, state: string | null = null): Promise<Task> {
  await night.commands.retry(id, { from: state }, ALICE);
  return night.settled(id);
}

async function countRuns(id: string, role: string): Promise<number> {
  return (await night.runs(id)).filter((run) => run.role === role).length;
}

const VERIFY_AND_DESCRIBE = `
  verify) verified;;
  describe) described "Say more in the notes";;`;

describe("improve: abandoned category", TEST_TIMEOUT, () => {
  it("leaves nothing visible to the next one, and is not published under another category", async () => {
    await open({
      agent: `case $ROLE in
        analyze) if [ "$CATEGORY" = docs ]; then found "Say more" notes.txt; else nothing "sees $(cat notes.txt | tr '\\n' ' ')"; fi;;
        implement) echo spoiled >> notes.txt; implemented x;;
        verify) failed "not what was selected";;
      esac`,
    });
    const id = await submitNight();
    const task = await night.settled(id);
    expect(task).toMatchObject({ status: "failed", outcome: "abandoned" });
    expect(task.items?.tried.map(({ reason }) => reason).slice(1)).toEqual(Array(4).fill("sees notes "));
    await expect(night.commands.retry(id, { from: "implementing" }, ALICE)).rejects.toThrow(
      /Cannot retry .* from "implementing": nothing was selected for "performance"/,
    );
    const again = await retryAndSettle(id);
    expect(again.items?.tried.map(({ item }) => item)).toEqual(task.items?.list);
    expect(await countRuns(id, "analyze")).toBe(10);
  });
});

describe("improve: abandoned last category", TEST_TIMEOUT, () => {
  it("can be retried alone and is published with its own category", async () => {
    await open({
      agent: `case $ROLE in
        analyze) found "Say more" notes.txt;;
        implement) echo "try $N" >> notes.txt; implemented x;;
        verify) if [ "$N" -lt 4 ]; then failed "not yet"; else verified; fi;;
        describe) described "Say more in the notes";;
      esac`,
    });
    const id = await submitNight(true);
    expect(await night.settled(id)).toMatchObject({ status: "failed", outcome: "abandoned" });
    const task = await retryAndSettle(id, "implementing");
    expect(task).toMatchObject({ state: "published", items: { at: 0, tried: [] } });
    expect(await countRuns(id, "analyze")).toBe(1);
    expect(night.forge.changeRequests).toMatchObject([{ labels: ["night-shift", "docs"] }]);
    await expect(night.commands.retry(id, null, ALICE)).rejects.toThrow(/it has already succeeded/);
  });
});

/** Split in two, because this script is on the disk too. The first attempt contains the secret. */
const LEAKING_AGENT = `T="${TOKEN.slice(0, 12)}"; T="\${T}${TOKEN.slice(12)}"
case $ROLE in
  analyze) found "Say more" notes.txt;;
  implement) if [ "$N" = 1 ]; then echo "key = $T" >> notes.txt; else echo more >> notes.txt; fi; SECOND_TRY
    implemented x;;${VERIFY_AND_DESCRIBE}
esac`;

describe("improve: secret in a change", TEST_TIMEOUT, () => {
  it("is not kept when a person ends the task", async () => {
    await open({ agent: LEAKING_AGENT.replace("SECOND_TRY", '[ "$N" = 1 ] || sleep 600') });
    const id = await submitNight();
    await expect
      .poll(async () => (await night.runs(id)).filter(({ role, startedAt }) => role === "implement" && startedAt), {
        timeout: TIMEOUT_MS,
      })
      .toHaveLength(2);
    await night.commands.cancel(id, ALICE);
    const task = await night.settled(id);
    expect(task).toMatchObject({ status: "cancelled" });
    await expectNothingLeft(night, task);
    expect(await filesContaining(night.home, [TOKEN])).toEqual([]);
  });

  it("is not kept when the forge refuses a later change and a retry starts again", async () => {
    await open({ agent: LEAKING_AGENT.replace("SECOND_TRY", "") });
    const path = /merge_requests$/;
    night.forge.fail({ method: "POST", path, status: 400, body: { message: "closed tonight" }, times: 100 });
    const id = await submitNight();
    const task = await night.settled(id);
    expect(task).toMatchObject({ status: "failed", outcome: "agent_error", branch: "night-shift/say-more" });
    await expectNothingLeft(night, task);
    expect(await filesContaining(night.home, [TOKEN])).toEqual([]);
    await expect(night.commands.retry(id, { from: "publishing" }, ALICE)).rejects.toThrow(/a secret was found/);
    night.forge.reset();
    const again = await retryAndSettle(id);
    // People may have seen the branch on the remote, so another change does not overwrite it.
    expect(again).toMatchObject({ state: "published", branch: "night-shift/say-more-2", items: { at: 0, tried: [] } });
    expect(await branchesOf(night)).toEqual(["night-shift/say-more", "night-shift/say-more-2"]);
  });
});
