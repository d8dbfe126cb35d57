import { describe, expect, it } from "vitest";
import type { ScheduleProgress } from "../../core/schedule/schedule.ts";
import type { SignInRow, TokenRow } from "../../ports/store-people.ts";
import type { Current } from "./current.ts";
import { committing, creating, sampleEnd, sampleEvent, sampleProject, sampleTask, startTask } from "./samples.ts";

const DAY = 86_400_000;

const mark = (project: string, name: string, at = 1): ScheduleProgress => ({
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
      expect(await current.store.projects.getPipeline("h")).toBeNull();
      await current.store.projects.keepPipeline("h", "chore", "text");
      await current.store.projects.keepPipeline("h", "chore", "text");
      expect(await current.store.projects.getPipeline("h")).toEqual({ name: "chore", text: "text" });
    });

    it("keep the newest result of a check on a base commit for a month, until the project is removed", async () => {
      const { projects } = current.store;
      const result = {
        name: "test",
        status: "passed",
        exitCode: 0,
        durationMs: 5,
        tail: "ok",
        measuredAt: DAY,
      } as const;
      expect(await projects.getBaseline("key", DAY)).toBeNull();
      await projects.keepBaseline("key", "shop", { ...result, status: "failed" });
      await projects.keepBaseline("key", "shop", result);
      expect(await projects.getBaseline("key", DAY)).toEqual(result);
      expect(await projects.getBaseline("key", 40 * DAY)).toBeNull();
      await projects.saveProject(sampleProject(), sampleEvent());
      await projects.removeProject("shop", sampleEvent({ type: "project.removed" }));
      expect(await projects.getBaseline("key", DAY)).toBeNull();
    });

    it("save, replace, list and remove projects", async () => {
      const [shop, api] = [sampleProject(), sampleProject({ name: "api", path: null })];
      await current.store.projects.saveProject(shop, sampleEvent());
      await current.store.projects.saveProject(api, sampleEvent());
      const changed = { ...shop, accepted: '{"checks":1}', acceptedAt: 2000 };
      await current.store.projects.saveProject(changed, sampleEvent({ type: "project.trusted" }));
      expect(await current.store.projects.getProject("shop")).toEqual(changed);
      expect(await current.store.projects.listProjects()).toEqual([api, changed]);
      expect(await current.store.events.listEvents({ after: 0, task: null, limit: 9 })).toHaveLength(3);
      const removed = sampleEvent({ type: "project.removed" });
      expect(await current.store.projects.removeProject("shop", removed)).toEqual({ kind: "removed" });
      expect(await current.store.projects.removeProject("shop", removed)).toEqual({ kind: "unknown" });
      expect(await current.store.projects.getProject("shop")).toBeNull();
      const events = await current.store.events.listEvents({ after: 3, task: null, limit: 9 });
      expect(events.map(({ type }) => type)).toEqual(["project.removed"]);
    });

    it("keep a project that has unfinished tasks, even when both come at once", async () => {
      const removed = sampleEvent({ type: "project.removed" });
      await current.store.projects.saveProject(sampleProject(), sampleEvent());
      const request = creating(sampleTask(), { requireProject: true });
      const [removal, created] = await Promise.allSettled([
        current.store.projects.removeProject("shop", removed),
        current.store.tasks.createTask(request),
      ]);
      // The first one wins, and the other one is refused.
      expect(removal).toMatchObject({ value: { kind: "removed" } });
      expect(created).toMatchObject({ status: "rejected", reason: { kind: "not_found" } });
      expect(await current.store.tasks.getTask(request.task.id)).toBeNull();

      await current.store.projects.saveProject(sampleProject(), sampleEvent());
      const { task, lease } = await startTask(current.store);
      const before = await current.store.events.lastEventId();
      expect(await current.store.projects.removeProject("shop", removed)).toEqual({ kind: "in_use", task: task.id });
      expect(await current.store.projects.getProject("shop")).not.toBeNull();
      expect(await current.store.events.lastEventId()).toBe(before);

      const ended = { ...task, status: "failed", finishedAt: 9 } as const;
      const end = sampleEnd(lease.run, { finishedAt: 9 });
      const { task: stored } = await current.store.tasks.commit(committing(ended, { lease, endRun: end }));
      expect(await current.store.projects.removeProject("shop", removed)).toEqual({ kind: "removed" });
      const again = committing({ ...stored, status: "queued", finishedAt: null });
      await expect(current.store.tasks.commit(again)).rejects.toMatchObject({ kind: "not_found" });
    });
  });

  describe("marks", () => {
    it("are advanced, removed one by one, and removed with their project", async () => {
      await current.store.projects.saveProject(sampleProject(), sampleEvent());
      const marks = [
        mark("shop", "improve"),
        mark("shop", "audit"),
        mark("api", "improve"),
        mark("shop", "improve", 2),
      ];
      for (const each of marks) await current.store.schedules.saveProgress(each, { events: [], notices: [] });
      await current.store.schedules.dropProgress(mark("shop", "audit"));
      expect(await current.store.schedules.listProgress("shop")).toEqual([mark("shop", "improve", 2)]);
      await current.store.projects.removeProject("shop", sampleEvent());
      expect(await current.store.schedules.listProgress("shop")).toEqual([]);
      expect(await current.store.schedules.listProgress("api")).toEqual([mark("api", "improve")]);
    });
  });

  describe("tokens and answers", () => {
    const token: TokenRow = { name: "ada", hash: "h1", rights: ["submit", "approve"], createdAt: 5 };

    it("find a token by its hash, and reject a second one with the same name", async () => {
      const [added, removed] = [sampleEvent({ type: "token.added" }), sampleEvent({ type: "token.removed" })];
      expect(await current.store.people.addToken(token, added)).toBe(true);
      expect(await current.store.people.addToken({ ...token, hash: "h2" }, added)).toBe(false);
      expect(await current.store.people.findToken("h1")).toEqual(token);
      expect(await current.store.people.findToken("h2")).toBeNull();
      expect(await current.store.people.listTokens()).toEqual([token]);
      expect(await current.store.people.removeToken("ada", removed)).toBe(true);
      expect(await current.store.people.removeToken("ada", removed)).toBe(false);
      const events = await current.store.events.listEvents({ after: 0, task: null, limit: 9 });
      expect(events.map(({ type }) => type)).toEqual(["token.added", "token.removed"]);
      expect(await current.store.people.findToken("h1")).toBeNull();
    });

    const link: SignInRow = { hash: "l1", kind: "link", token: "h1", issuer: "alice", createdAt: 5, until: 100 };
    const session: SignInRow = { ...link, hash: "s1", kind: "session", createdAt: 6, until: 200 };
    const started = sampleEvent({ type: "session.started" });

    it("turn a sign-in link into a session once, and replace the earlier session of the browser", async () => {
      const { people, events } = current.store;
      await people.addLink(link);
      await people.addLink({ ...link, hash: "l2", token: null });
      expect(await people.findSignIn("link", "l1")).toEqual(link);
      expect(await people.findSignIn("session", "l1")).toBeNull();
      expect(await people.redeemLink("l1", session, null, started)).toBe(true);
      expect(await people.redeemLink("l1", { ...session, hash: "s2" }, null, started)).toBe(false);
      expect(await people.findSignIn("link", "l1")).toBeNull();
      expect(await people.findSignIn("session", "s1")).toEqual(session);
      expect(await people.redeemLink("l2", { ...session, hash: "s3", token: null }, "s1", started)).toBe(true);
      expect(await people.findSignIn("session", "s1")).toBeNull();
      expect(await people.findSignIn("session", "s3")).toMatchObject({ token: null });
      expect(await events.listEvents({ after: 0, task: null, limit: 9 })).toHaveLength(2);
    });

    it("end a session once", async () => {
      const { people } = current.store;
      await people.addLink(link);
      await people.redeemLink("l1", session, null, started);
      const ended = sampleEvent({ type: "session.ended" });
      expect(await people.removeSession("s1", ended)).toBe(true);
      expect(await people.removeSession("s1", ended)).toBe(false);
      expect(await people.findSignIn("session", "s1")).toBeNull();
    });

    it("forget the links and sessions of a removed token, and those that have expired", async () => {
      const { people } = current.store;
      await people.addToken(token, sampleEvent({ type: "token.added" }));
      await people.addLink(link);
      await people.addLink({ ...link, hash: "l2" });
      await people.addLink({ ...link, hash: "of the owner", token: null });
      await people.redeemLink("l1", session, null, started);
      await people.removeToken("ada", sampleEvent({ type: "token.removed" }));
      expect(await people.findSignIn("session", "s1")).toBeNull();
      expect(await people.findSignIn("link", "l2")).toBeNull();
      expect(await people.findSignIn("link", "of the owner")).not.toBeNull();
      await people.addLink({ ...link, hash: "later", createdAt: 100, until: 300 });
      expect(await people.findSignIn("link", "of the owner")).toBeNull();
      expect(await people.findSignIn("link", "later")).not.toBeNull();
    });

    it("return the first response for a key, and forget it after a day", async () => {
      const answer = { request: "r", status: 201, body: "{}" };
      expect(await current.store.people.recallAnswer("k")).toBeNull();
      await current.store.people.keepAnswer("k", answer, 1000);
      await current.store.people.keepAnswer("k", { ...answer, body: "another" }, 2000);
      await current.store.people.keepAnswer("later", answer, 999 + DAY);
      expect(await current.store.people.recallAnswer("k")).toEqual(answer);
      await current.store.people.keepAnswer("even later", answer, 1000 + DAY);
      expect(await current.store.people.recallAnswer("k")).toBeNull();
      expect(await current.store.people.recallAnswer("later")).toEqual(answer);
    });
  });

  describe("the database itself", () => {
    it("is intact, and can be closed twice", async () => {
      await startTask(current.store);
      expect(await current.store.checkIntegrity()).toEqual([]);
      await current.store.close();
      await expect(current.store.close()).resolves.toBeUndefined();
      await expect(current.store.tasks.countTasks()).rejects.toBeInstanceOf(Error);
    });

    it("finishes pending calls before it closes", async () => {
      const pending = current.store.events.appendEvents([sampleEvent()]);
      await current.store.close();
      expect(await pending).toHaveLength(1);
    });

    it("is the same after a restart", async (context) => {
      if (current.reopen === null) return context.skip();
      const { task, run, lease } = await startTask(current.store);
      await current.store.tasks.updateRun(lease, { sessionId: "s" });
      const store = await current.reopen();
      expect(await store.tasks.getTask(task.id)).toEqual(task);
      expect(await store.tasks.getRun(run.id)).toEqual({ ...run, sessionId: "s" });
      expect(await store.tasks.holdsLease(lease)).toBe(true);
    });
  });
}
