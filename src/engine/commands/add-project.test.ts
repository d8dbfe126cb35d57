import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqliteStore } from "../../adapters/stores/sqlite/open.ts";
import type { PendingTrust, ProjectSource } from "../../ports/projects.ts";
import type { Store } from "../../ports/store.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import { SILENT_LOG, startTask } from "../../testing/store/samples.ts";
import { acceptTrust, addProject, removeProject } from "./project-commands.ts";

const ADA = { kind: "person", name: "ada" } as const;
const SHOP = { kind: "path", path: "/src/shop" } as const;

let store: Store;
let files: PendingTrust;

beforeEach(async () => {
  store = await openSqliteStore({ file: ":memory:", log: SILENT_LOG });
  files = { wanted: '{"checks":1}', hash: "h1", changes: [{ key: "checks", accepted: null, wanted: "1" }] };
});
afterEach(() => store.close());

/** Every folder is detected as "shop". */
const ports = () => ({
  store,
  clock: createFakeClock(),
  host: {
    detectProject: async (source: ProjectSource) => {
      const path = source.kind === "path" ? source.path : null;
      const remote = source.kind === "path" ? source.path : source.url;
      return { name: "shop", path, remote, defaultBranch: "main" };
    },
  },
  projects: { pendingTrust: async () => files },
  sandbox: {
    refuseDirectories: (_write: readonly string[], dir?: string | null) => (dir === "/" ? ["/ is refused."] : []),
  },
});

/** Every folder is detected as the plain directory "reports". */
const plainPorts = () => ({
  ...ports(),
  host: {
    detectProject: async (source: ProjectSource) => ({
      name: "reports",
      path: source.kind === "path" ? source.path : null,
      remote: "",
      defaultBranch: "",
    }),
  },
});

const types = async () => (await store.events.listEvents({ after: 0, task: null, limit: 99 })).map(({ type }) => type);

it("add project: accepts no files, and adding it again changes nothing", async () => {
  const { project, pending } = await addProject(ports(), SHOP, ADA);
  expect(project).toMatchObject({ name: "shop", accepted: "{}", acceptedBy: "ada" });
  expect(pending.changes).toHaveLength(1);
  expect((await addProject(ports(), SHOP, { ...ADA, name: "bob" })).project).toEqual(project);
  expect(await types()).toEqual(["project.registered"]);
});

it("accept trust: refuses files that changed since they were shown, and writes nothing", async () => {
  await addProject(ports(), SHOP, ADA);
  files = { ...files, wanted: '{"checks":2}', hash: "h2" };
  await expect(acceptTrust(ports(), SHOP, "h1", ADA)).rejects.toMatchObject({ kind: "conflict" });
  expect(await store.projects.getProject("shop")).toMatchObject({ accepted: "{}" });
  expect((await acceptTrust(ports(), SHOP, "h2", ADA)).pending.changes).toEqual([]);
  expect(await store.projects.getProject("shop")).toMatchObject({ accepted: '{"checks":2}', acceptedBy: "ada" });
  expect(await types()).toEqual(["project.registered", "project.trusted"]);
});

it("accept trust: a URL without credentials, as the API shows it, keeps the registered credentials", async () => {
  const remote = "https://bob:secret@git.example.com/shop.git";
  await addProject(ports(), { kind: "url", url: remote }, ADA);
  await acceptTrust(ports(), { kind: "url", url: "https://git.example.com/shop.git" }, "h1", ADA);
  expect(await store.projects.getProject("shop")).toMatchObject({ remote, accepted: '{"checks":1}' });
  const other = { kind: "url", url: "https://git.example.com/other/shop.git" } as const;
  await expect(addProject(ports(), other, ADA)).rejects.toMatchObject({ kind: "conflict" });
});

it("add project: two folders with the same name added concurrently: the second is refused", async () => {
  const other = { kind: "path", path: "/elsewhere/shop" } as const;
  const results = await Promise.allSettled([addProject(ports(), SHOP, ADA), addProject(ports(), other, ADA)]);
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(await store.projects.getProject("shop")).toMatchObject({ path: "/src/shop" });
});

it("remove project: refuses while a task is unfinished, names the task and keeps the project", async () => {
  await addProject(ports(), SHOP, ADA);
  const { task } = await startTask(store, { project: "shop" });
  await expect(removeProject(ports(), "shop", ADA)).rejects.toMatchObject({
    kind: "conflict",
    message: `"shop" has unfinished tasks, such as ${task.id}.`,
  });
  await expect(removeProject(ports(), "blog", ADA)).rejects.toMatchObject({
    kind: "not_found",
    message: 'There is no project "blog". Registered: shop.',
  });
  expect(await store.projects.getProject("shop")).not.toBeNull();
  expect(await types()).not.toContain("project.removed");
});

async function addPlain(path: string): Promise<string> {
  return (await addProject(plainPorts(), { kind: "path", path }, ADA)).project.name;
}

it("add project: directories without a repository can have the same name, and keep theirs", async () => {
  expect([await addPlain("/a/reports"), await addPlain("/b/reports"), await addPlain("/c/reports")]).toEqual([
    "reports",
    "reports-2",
    "reports-3",
  ]);
  expect(await addPlain("/b/reports")).toBe("reports-2");
});

it("add project: a directory in which no task can work is not registered", async () => {
  const added = addProject(plainPorts(), { kind: "path", path: "/" }, ADA);
  await expect(added).rejects.toMatchObject({ kind: "invalid", message: expect.stringContaining("/ is refused.") });
  expect(await types()).toEqual([]);
});
