import { afterEach, expect, it } from "vitest";
import type { Task } from "../../core/task/task.ts";
import { ADA, openEngineWorld, type EngineWorld } from "../../testing/engine/engine-world.ts";
import { git } from "../../testing/temp-repo.ts";
import { createMergeOrder } from "./merge-order.ts";

let world: EngineWorld;
afterEach(() => world.close());

/** The n-th agent writes the n-th files. */
async function open(...works: readonly Readonly<Record<string, string>>[]): Promise<void> {
  world = await openEngineWorld({
    settings: "checks:\n  test: { command: make test }\n",
    script: ({ name, run }) =>
      name === "agent" ? { files: works[run] ?? {}, report: { outcome: "implemented", summary: `wrote ${run}` } } : {},
  });
}

const published = async (title: string): Promise<Task> => world.drain((await world.submit({ title })).id);

it("merge order: says which published branches conflict, and puts the others first", async () => {
  await open({ "greeting.txt": "hi\n" }, { "greeting.txt": "hey\n" }, { "other.txt": "x\n" });
  const find = createMergeOrder(world.ports);
  expect(await find("shop")).toBeNull();
  const [one, two, three] = [await published("One"), await published("Two"), await published("Three")];
  const order = await find("shop");
  expect(order).toMatchObject({ target: "main", leftOut: 0 });
  expect(order?.branches.map(({ branch, conflicts }) => [branch.title, conflicts])).toEqual([
    ["Three", []],
    ["One", [{ task: two.id, files: ["greeting.txt"] }]],
    ["Two", [{ task: one.id, files: ["greeting.txt"] }]],
  ]);
  // A person merges one of them.
  await git(world.repo.remote, "update-ref", "refs/heads/main", one.published?.head ?? "");
  await git(world.repo.remote, "update-ref", "-d", `refs/heads/${three.branch ?? ""}`);
  await world.ports.workspaces.sync({ project: "shop", remote: world.repo.remote, defaultBranch: "main" });
  expect((await find("shop"))?.branches.map(({ branch }) => [branch.title, branch.targetConflicts])).toEqual([
    ["Two", ["greeting.txt"]],
  ]);
});

it("merge order: a cancelled task is left out, and a remote that cannot be read is tried once", async () => {
  await open({ "greeting.txt": "hi\n" }, { "other.txt": "x\n" });
  const one = await published("One");
  await published("Two");
  let fetches = 0;
  const workspaces = {
    ...world.ports.workspaces,
    sync: async () => {
      fetches += 1;
      throw new Error("no network");
    },
  };
  const find = createMergeOrder({ ...world.ports, workspaces });
  expect((await find("shop"))?.branches.length).toBeLessThan(2);
  const before = fetches;
  await find("shop");
  expect(fetches).toBe(before);
  await world.commands.followUp(one.id, { text: "more" }, ADA);
  await world.commands.cancel(one.id, ADA);
  expect((await createMergeOrder(world.ports)("shop"))?.branches.map(({ branch }) => branch.title)).toEqual(["Two"]);
});
