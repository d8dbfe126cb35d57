import { describe, expect, it } from "vitest";
import type { ScheduleMark } from "../../core/schedule/schedule.ts";
import type { TokenRow } from "../../ports/store.ts";
import type { Current } from "./current.ts";
import { sampleEvent, sampleProject, startTask } from "./samples.ts";

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
    it("store the text of a pipeline under its hash", async () => {
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
      await current.store.removeProject("shop");
      await current.store.removeProject("shop");
      expect(await current.store.getProject("shop")).toBeNull();
    });
  });

  describe("marks", () => {
    it("are advanced, removed one by one, and removed with their project", async () => {
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
      await current.store.removeProject("shop");
      expect(await current.store.listMarks("shop")).toEqual([]);
      expect(await current.store.listMarks("api")).toEqual([mark("api", "improve")]);
    });
  });

  describe("tokens and answers", () => {
    const token: TokenRow = { name: "ada", hash: "h1", rights: ["submit", "approve"], createdAt: 5 };

    it("find a token by its hash, and reject a second one with the same name", async () => {
      await current.store.addToken(token);
      await expect(current.store.addToken({ ...token, hash: "h2" })).rejects.toMatchObject({ kind: "conflict" });
      expect(await current.store.findToken("h1")).toEqual(token);
      expect(await current.store.findToken("h2")).toBeNull();
      expect(await current.store.listTokens()).toEqual([token]);
      expect(await current.store.removeToken("ada")).toBe(true);
      expect(await current.store.removeToken("ada")).toBe(false);
      expect(await current.store.findToken("h1")).toBeNull();
    });

    it("return the first response for a key, and forget it after a day", async () => {
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
    it("is intact, and can be closed twice", async () => {
      await startTask(current.store);
      expect(await current.store.checkIntegrity()).toEqual([]);
      await current.store.close();
      await expect(current.store.close()).resolves.toBeUndefined();
      await expect(current.store.countTasks()).rejects.toBeInstanceOf(Error);
    });

    it("finishes pending calls before it closes", async () => {
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
