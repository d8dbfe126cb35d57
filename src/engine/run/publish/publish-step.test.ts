import { afterEach, describe, expect, it } from "vitest";
import {
  ADA,
  openEngineWorld,
  type EngineWorld,
  type EngineWorldOptions,
} from "../../../testing/engine/engine-world.ts";
import { RemoteError } from "../../../core/text/errors.ts";
import type { ScriptedEnd } from "../../../testing/engine/scripted-supervisors.ts";
import { git } from "../../../testing/temp-repo.ts";

let world: EngineWorld;
afterEach(() => world.close());

const CHANGE: ScriptedEnd = {
  files: { "greeting.txt": "hello, world\n" },
  report: { outcome: "implemented", summary: "greets the world" },
};

/** Submits a task and runs it up to the publish step. */
async function readyToPublish(options: Partial<EngineWorldOptions> = {}): Promise<string> {
  world = await openEngineWorld({ script: () => CHANGE, ...options });
  const { id } = await world.submit();
  await world.step(id);
  await world.step(id);
  return id;
}

describe("publish", () => {
  it("pushes one commit on top of the base to the task's branch", async () => {
    const id = await readyToPublish();
    expect(await world.step(id)).toMatchObject({ step: "publish", outcome: "published" });
    const task = await world.ports.store.tasks.getTask(id);
    expect(await git(world.repo.remote, "log", "--format=%an %s", `main..${task?.branch}`)).toMatch(/^[^\n]+$/);
    expect(await git(world.repo.remote, "rev-parse", `${task?.branch}~1`)).toBe(task?.baseCommit);
  });

  it("a second attempt after the push pushes nothing twice and keeps the branch", async () => {
    const stopping = new AbortController();
    const id = await readyToPublish({
      pass: (checkpoint) => {
        if (checkpoint === "branch.pushed") stopping.abort(new Error("the daemon stops"));
      },
    });
    await world.step(id, stopping.signal).catch(() => null);
    const pushed = await git(world.repo.remote, "for-each-ref", "--format=%(refname) %(objectname)");
    expect(pushed).toContain("refs/heads/agent/");
    expect(await world.step(id)).toMatchObject({ outcome: "published" });
    expect(await git(world.repo.remote, "for-each-ref", "--format=%(refname) %(objectname)")).toBe(pushed);
  });

  it("a remote that cannot be reached parks the task and spends no attempt", async () => {
    const id = await readyToPublish({
      over: ({ workspaces }) => ({
        workspaces: { ...workspaces, push: () => Promise.reject(new RemoteError("unreachable", "no route to host")) },
      }),
    });
    expect((await world.step(id))?.outcome).toBe("provider_down");
    const task = await world.ports.store.tasks.getTask(id);
    expect(task).toMatchObject({ status: "queued", queuedFor: { kind: "remote", reason: "no route to host" } });
    expect((await world.runs(id)).at(-1)).toMatchObject({ state: "publishing", attempt: 1 });
  });

  it("an order to cancel before the push leaves the remote unchanged", async () => {
    const id = await readyToPublish();
    await world.commands.cancel(id, ADA);
    await world.drain(id);
    expect((await world.ports.store.tasks.getTask(id))?.status).toBe("cancelled");
    expect(await git(world.repo.remote, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  });
});
