import { describe, expect, it } from "vitest";
import type { ScheduleMark } from "../../core/schedule/schedule.ts";
import type { TokenRow } from "../../ports/store.ts";
import type { Current } from "./current.ts";
import { committing, creating, sampleEnd, sampleEvent, sampleProject, sampleTask, startTask } from "./samples.ts";

const DAY = 86_400_000;

const mark = (project: string, name: string, at = 1): ScheduleMark => ({
  project,
  name,
  expression: "0 2 * * *",
  timeZone: "UTC",
  at,
  task: null,
});

export function testRecords(current: Current): void {
  describe("pipelines and projects", () => {
    it("keep the text of a pipeline under its hash", async () => {
      expect(await current.store.getPipeline("h")).toBeNull();
      await current.store.keepPipeline("h", "chore", "text");
      await current.store.keepPipeline("h", "chore", "text");
      expect(await current.store.getPipeline("h")).toEqual({ name: "chore", text: "text" });
    });

    it("save, replace, list and remove projects", async () => {
      const [shop, api] = [sampleProject(), sampleProject({ name: "api", path: null })];
      await current.store.saveProject(shop, sampleEvent());
      await current.store.saveProject(api, sampleEvent());
      const changed = { ...shop, accepted: '{"checks":1}', acceptedAt: 2000 };
      await current.store.saveProject(changed, sampleEvent({ type: "project.trusted" }));
      expect(await current.store.getProject("shop")).toEqual(changed);
      expect(await current.store.listProjects()).toEqual([api, changed]);
      expect(await current.store.listEvents({ after: 0, task: null, limit: 9 })).toHaveLength(3);
      const removed = sampleEvent({ type: "project.removed" });
      expect(await current.store.removeProject("shop", removed)).toEqual({ kind: "removed" });
      expect(await current.store.removeProject("shop", removed)).toEqual({ kind: "unknown" });
      expect(await current.store.getProject("shop")).toBeNull();
      const events = await current.store.listEvents({ after: 3, task: null, limit: 9 });
      expect(events.map(({ type }) => type)).toEqual(["project.removed"]);
    });

    it("keep a project that has unfinished tasks, even when both come at once", async () => {
      const removed = sampleEvent({ type: "project.removed" });
      await current.store.saveProject(sampleProject(), sampleEvent());
      const request = creating(sampleTask(), { requireProject: true });
      const [removal, created] = await Promise.allSettled([
        current.store.removeProject("shop", removed),
        current.store.createTask(request),
      ]);
      // The first one wins, and the other one is refused.
      expect(removal).toMatchObject({ value: { kind: "removed" } });
      expect(created).toMatchObject({ status: "rejected", reason: { kind: "not_found" } });
      expect(await current.store.getTask(request.task.id)).toBeNull();

      await current.store.saveProject(sampleProject(), sampleEvent());
      const { task, lease } = await startTask(current.store);
      const before = await current.store.lastEventId();
      expect(await current.store.removeProject("shop", removed)).toEqual({ kind: "in_use", task: task.id });
      expect(await current.store.getProject("shop")).not.toBeNull();
      expect(await current.store.lastEventId()).toBe(before);

      const ended = { ...task, status: "failed", finishedAt: 9 } as const;
      const end = sampleEnd(lease.run, { finishedAt: 9 });
      const { task: stored } = await current.store.commit(committing(ended, { lease, endRun: end }));
      expect(await current.store.removeProject("shop", removed)).toEqual({ kind: "removed" });
      const again = committing({ ...stored, status: "queued", finishedAt: null });
      await expect(current.store.commit(again)).rejects.toMatchObject({ kind: "not_found" });
    });
  });

  describe("marks", () => {
    it("are moved on, dropped one by one, and with their project", async () => {
      await current.store.saveProject(sampleProject(), sampleEvent());
      const marks = [
        mark("shop", "improve"),
        mark("shop", "audit"),
        mark("api", "improve"),
        mark("shop", "improve", 2),
      ];
      for (const each of marks) await current.store.saveMark(each, { events: [], notices: [] });
      await current.store.dropMark(mark("shop", "audit"));
      expect(await current.store.listMarks("shop")).toEqual([mark("shop", "improve", 2)]);
      await current.store.removeProject("shop", sampleEvent());
      expect(await current.store.listMarks("shop")).toEqual([]);
      expect(await current.store.listMarks("api")).toEqual([mark("api", "improve")]);
    });
  });

  describe("tokens and answers", () => {
    const token: TokenRow = { name: "ada", hash: "h1", rights: ["submit", "approve"], createdAt: 5 };

    it("find a token by its hash and refuse a second one of the same name", async () => {
      const [added, removed] = [sampleEvent({ type: "token.added" }), sampleEvent({ type: "token.removed" })];
      expect(await current.store.addToken(token, added)).toBe(true);
      expect(await current.store.addToken({ ...token, hash: "h2" }, added)).toBe(false);
      expect(await current.store.findToken("h1")).toEqual(token);
      expect(await current.store.findToken("h2")).toBeNull();
      expect(await current.store.listTokens()).toEqual([token]);
      expect(await current.store.removeToken("ada", removed)).toBe(true);
      expect(await current.store.removeToken("ada", removed)).toBe(false);
      const events = await current.store.listEvents({ after: 0, task: null, limit: 9 });
      expect(events.map(({ type }) => type)).toEqual(["token.added", "token.removed"]);
      expect(await current.store.findToken("h1")).toBeNull();
    });

    it("recall the first answer to a key, and forget it after a day", async () => {
      const answer = { request: "r", status: 201, body: "{}" };
      expect(await current.store.recallAnswer("k")).toBeNull();
      await current.store.keepAnswer("k", answer, 1000);
      await current.store.keepAnswer("k", { ...answer, body: "another" }, 2000);
      await current.store.keepAnswer("later", answer, 999 + DAY);
      expect(await current.store.recallAnswer("k")).toEqual(answer);
      await current.store.keepAnswer("even later", answer, 1000 + DAY);
      expect(await current.store.recallAnswer("k")).toBeNull();
      expect(await current.store.recallAnswer("later")).toEqual(answer);
    });
  });

  describe("the database itself", () => {
    it("is whole, and closes twice", async () => {
      await startTask(current.store);
      expect(await current.store.checkIntegrity()).toEqual([]);
      await current.store.close();
      await expect(current.store.close()).resolves.toBeUndefined();
      await expect(current.store.countTasks()).rejects.toBeInstanceOf(Error);
    });

    it("finishes what was asked for before it closes", async () => {
      const pending = current.store.appendEvents([sampleEvent()]);
      await current.store.close();
      expect(await pending).toHaveLength(1);
    });

    it("is the same after a restart", async (context) => {
      if (current.reopen === null) return context.skip();
      const { task, run, lease } = await startTask(current.store);
      await current.store.updateRun(lease, { sessionId: "s" });
      const store = await current.reopen();
      expect(await store.getTask(task.id)).toEqual(task);
      expect(await store.getRun(run.id)).toEqual({ ...run, sessionId: "s" });
      expect(await store.holdsLease(lease)).toBe(true);
    });
  });
}
