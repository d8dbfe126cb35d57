import { afterEach, describe, expect, it } from "vitest";
import { ADA } from "../testing/engine/engine-world.ts";
import { openReviewScene, type ReviewScene } from "../testing/engine/review-scene.ts";

let scene: ReviewScene;
afterEach(() => scene.close());

describe.each(["github", "gitlab"] as const)("a review of a person's change request at %s", (kind) => {
  it("waits for an approval, and is posted with its line comments after it", async () => {
    scene = await openReviewScene({ kind });
    const { world, forge, submit, urlOf, posted } = scene;
    const waiting = await world.drain((await submit()).id);
    expect(waiting).toMatchObject({
      project: "shop",
      title: "Review: Greet all",
      state: "approving",
      branch: null,
      headCommit: forge.changeRequests[0]?.headCommit,
      waitingFor: { kind: "approval", document: { kind: "review", version: 1 } },
      options: { request: { number: 1, url: urlOf(1), author: "bob", base: "main" } },
    });
    expect(posted()).toEqual([]);
    const task = await scene.approve(waiting.id);
    expect(task).toMatchObject({ state: "done", status: "succeeded", outcome: "posted" });
    expect(
      posted()
        .map(({ file, line }) => `${file}:${line}`)
        .toSorted(),
    ).toEqual(["greeting.txt:2", "null:null"]);
    const text = posted().find(({ file }) => file === null)?.body ?? "";
    expect(text).toContain("changes requested. A person read it before it was posted.");
    expect(text).toContain("`missing.txt:700` **nit**: Is this used?");
    expect(text).not.toContain("@alice");
    // The change request is not the task's own, so the task never follows, merges or closes it.
    expect(await world.ports.store.tasks.listChangeRequests([task.id])).toEqual(new Map());
  });

  it("is not posted if a person rejects it", async () => {
    scene = await openReviewScene({ kind });
    const { id } = await scene.world.drain((await scene.submit()).id);
    await scene.world.commands.reject(id, "too picky", ADA);
    expect(await scene.world.drain(id)).toMatchObject({ status: "cancelled" });
    expect([scene.posted(), scene.forge.changeRequests[0]?.state]).toEqual([[], "open"]);
  });

  it("is not posted if the author pushed meanwhile, and a person can have the newest commit reviewed", async () => {
    scene = await openReviewScene({ kind });
    const { id } = await scene.world.drain((await scene.submit()).id);
    const newest = await scene.push("refs/heads/topic", { "greeting.txt": "hello\nforce-pushed\n" });
    const task = await scene.approve(id);
    expect(task).toMatchObject({
      state: "posting",
      waitingFor: { kind: "choice", reason: expect.stringContaining("Nothing was posted.") },
    });
    expect(scene.posted()).toEqual([]);
    await scene.world.commands.choose(id, { option: "checking" }, ADA);
    expect(await scene.world.drain(id)).toMatchObject({ state: "approving", headCommit: newest });
    expect(await scene.approve(id)).toMatchObject({ status: "succeeded" });
    expect(scene.posted()).toHaveLength(2);
  });

  it("works for a change request from a fork, whose branch the repository does not have", async () => {
    scene = await openReviewScene({ kind });
    scene.forge.reset();
    const headCommit = await scene.push(kind === "github" ? "refs/pull/1/head" : "refs/merge-requests/1/head", {
      "greeting.txt": "hello\nfrom a fork\n",
    });
    await scene.forge.openRequest({ branch: "elsewhere", isFromFork: true, headCommit, author: "stranger" });
    const waiting = await scene.world.drain((await scene.submit()).id);
    expect(waiting).toMatchObject({ headCommit, options: { request: { author: "stranger" } } });
    expect(await scene.approve(waiting.id)).toMatchObject({ status: "succeeded" });
    expect(scene.posted().map(({ line }) => line)).toContain(2);
  });

  it.each(["merged", "closed"] as const)("ends without a post if the change request was %s meanwhile", async (how) => {
    scene = await openReviewScene({ kind });
    const { id } = await scene.world.drain((await scene.submit()).id);
    if (how === "closed") scene.forge.closeRequest(1);
    else await scene.forge.merge(1);
    const task = await scene.approve(id);
    expect(task).toMatchObject({ status: "cancelled", outcome: "request_ended" });
    expect(task.reason).toContain(`was ${how} meanwhile`);
    expect(scene.posted()).toEqual([]);
  });

  it("is posted once if the daemon dies between posting it and committing that", async () => {
    const crash = new AbortController();
    scene = await openReviewScene({
      kind,
      pass: (checkpoint) => {
        if (checkpoint === "review.posted" && scene.posted().length > 0) crash.abort();
      },
    });
    const { world, submit, posted } = scene;
    const { id } = await submit({ autoApprove: true });
    while (!crash.signal.aborted) await world.step(id, crash.signal);
    expect(await world.ports.store.tasks.getTask(id)).toMatchObject({ state: "posting", status: "running" });
    expect(posted()).toHaveLength(2);
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
    expect(posted()).toHaveLength(2);
    expect(posted().some(({ body }) => body.includes("No person has confirmed it."))).toBe(true);
  });

  it("is posted by a retry after the forge refused it, without a second review", async () => {
    scene = await openReviewScene({ kind });
    const { world, forge } = scene;
    const { id } = await world.drain((await scene.submit()).id);
    forge.fail({ method: "POST", path: /(reviews|notes)$/, status: 422, times: 100 });
    let task = await scene.approve(id);
    while (task.status === "queued") task = await scene.wake(id);
    expect(task).toMatchObject({ status: "failed", state: "failed" });
    expect(scene.posted()).toEqual([]);
    forge.recoverFromFailures();
    await world.commands.retry(id, null, ADA);
    expect(await world.drain(id)).toMatchObject({ status: "succeeded" });
    expect(scene.posted().length).toBeGreaterThan(0);
    expect(world.supervisors.started.filter((each) => each === "agent:review")).toHaveLength(1);
  });
});
