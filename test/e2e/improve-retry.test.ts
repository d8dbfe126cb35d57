import { describe, expect, it } from "vitest";
import type { Task } from "../../src/core/task/task.ts";
import { ALICE } from "./night.ts";
import { NIGHTLY, TOKEN } from "./nightly.ts";
import { branchesOf, expectNothingLeft, holding } from "./nothing-left.ts";
import { night, open, PATIENCE, PATIENCE_MS } from "./one-night.ts";

async function begin(only = false): Promise<string> {
  const { id } = await night.submit({ ...NIGHTLY, improve: { category: "docs", only, scheduledAt: null } });
  return id;
}

async function retried(id: string, state: string | null = null): Promise<Task> {
  await night.commands.retry(id, state, ALICE);
  return night.settled(id);
}

async function count(id: string, role: string): Promise<number> {
  return (await night.runs(id)).filter((run) => run.role === role).length;
}

const REST = `
  verify) verified;;
  describe) described "Say more in the notes";;`;

describe("improve: abandoned category", PATIENCE, () => {
  it("leaves nothing visible to the next one, and is not published under another category", async () => {
    await open({
      agent: `case $ROLE in
        analyze) if [ "$CATEGORY" = docs ]; then found "Say more" notes.txt; else nothing "sees $(cat notes.txt | tr '\\n' ' ')"; fi;;
        implement) echo spoiled >> notes.txt; implemented x;;
        verify) failed "not what was selected";;
      esac`,
    });
    const id = await begin();
    const task = await night.settled(id);
    expect(task).toMatchObject({ status: "failed", outcome: "abandoned" });
    expect(task.items?.tried.map(({ reason }) => reason).slice(1)).toEqual(Array(4).fill("sees notes "));
    await expect(night.commands.retry(id, "implementing", ALICE)).rejects.toThrow(
      /cannot retry .* from "implementing": nothing was selected for "performance"/,
    );
    const again = await retried(id);
    expect(again.items?.tried.map(({ item }) => item)).toEqual(task.items?.list);
    expect(await count(id, "analyze")).toBe(10);
  });
});

describe("improve: abandoned last category", PATIENCE, () => {
  it("can be retried alone and is published with its own category", async () => {
    await open({
      agent: `case $ROLE in
        analyze) found "Say more" notes.txt;;
        implement) echo "try $N" >> notes.txt; implemented x;;
        verify) if [ "$N" -lt 4 ]; then failed "not yet"; else verified; fi;;
        describe) described "Say more in the notes";;
      esac`,
    });
    const id = await begin(true);
    expect(await night.settled(id)).toMatchObject({ status: "failed", outcome: "abandoned" });
    const task = await retried(id, "implementing");
    expect(task).toMatchObject({ state: "published", items: { at: 0, tried: [] } });
    expect(await count(id, "analyze")).toBe(1);
    expect(night.forge.changeRequests).toMatchObject([{ labels: ["night-shift", "docs"] }]);
    await expect(night.commands.retry(id, null, ALICE)).rejects.toThrow(/it is succeeded/);
  });
});

/** Split in two, because this script is on the disk too. The first attempt contains the secret. */
const SPILLS = `T="${TOKEN.slice(0, 12)}"; T="\${T}${TOKEN.slice(12)}"
case $ROLE in
  analyze) found "Say more" notes.txt;;
  implement) if [ "$N" = 1 ]; then echo "key = $T" >> notes.txt; else echo more >> notes.txt; fi; SECOND_TRY
    implemented x;;${REST}
esac`;

describe("improve: secret in a change", PATIENCE, () => {
  it("is not kept when a person ends the task", async () => {
    await open({ agent: SPILLS.replace("SECOND_TRY", '[ "$N" = 1 ] || sleep 600') });
    const id = await begin();
    await expect
      .poll(async () => (await night.runs(id)).filter(({ role, startedAt }) => role === "implement" && startedAt), {
        timeout: PATIENCE_MS,
      })
      .toHaveLength(2);
    await night.commands.cancel(id, ALICE);
    const task = await night.settled(id);
    expect(task).toMatchObject({ status: "cancelled" });
    await expectNothingLeft(night, task);
    expect(await holding(night.home, [TOKEN])).toEqual([]);
  });

  it("is not kept when the forge refuses a later change and a retry starts again", async () => {
    await open({ agent: SPILLS.replace("SECOND_TRY", "") });
    const path = /merge_requests$/;
    night.forge.fail({ method: "POST", path, status: 400, body: { message: "closed tonight" }, times: 100 });
    const id = await begin();
    const task = await night.settled(id);
    expect(task).toMatchObject({ status: "failed", outcome: "agent_error", branch: "night-shift/say-more" });
    await expectNothingLeft(night, task);
    expect(await holding(night.home, [TOKEN])).toEqual([]);
    await expect(night.commands.retry(id, "publishing", ALICE)).rejects.toThrow(/a secret was found/);
    night.forge.reset();
    const again = await retried(id);
    // People may have seen the branch on the remote, so another change does not overwrite it.
    expect(again).toMatchObject({ state: "published", branch: "night-shift/say-more-2", items: { at: 0, tried: [] } });
    expect(await branchesOf(night)).toEqual(["night-shift/say-more", "night-shift/say-more-2"]);
  });
});
