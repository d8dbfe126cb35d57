import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { SYSTEM } from "../../core/task/event.ts";
import { SAMPLE_DRAFT } from "../../testing/builders.ts";
import { ADA, openEngineWorld, type EngineWorld } from "../../testing/engine/engine-world.ts";
import { submit } from "./submit.ts";

let world: EngineWorld;
afterEach(() => world.close());

const LINT = '  lint: { command: "true" }\n';

/** A project whose person accepted the check `lint`. */
async function open(): Promise<void> {
  world = await openEngineWorld({
    settings: `checks:\n${LINT}`,
    script: ({ name }) =>
      name === "agent"
        ? { files: { "greeting.txt": "hello, world\n" }, report: { outcome: "implemented", summary: "greets" } }
        : {},
  });
}

/** Changes the project's file. No person has accepted the result. */
async function rewrite(from: string, to: string): Promise<void> {
  const file = join(world.repo.checkout, "nightshift.yaml");
  const text = await readFile(file, "utf8");
  expect(text).toContain(from);
  await writeFile(file, text.replace(from, to));
}

const submitWithoutChecks = () => world.commands.submit({ ...SAMPLE_DRAFT, withoutChecks: true }, ADA);

describe("submit: checks that nobody accepted", () => {
  it.each([
    ["a new check", LINT, `${LINT}  test: { command: "false" }\n`, /not accepted yet \(test\)/],
    ["a changed check", '"true"', '"false"', /not accepted yet \(lint\)/],
  ])("refuse the task for %s, and say what to do", async (_what, from, to, message) => {
    await open();
    await rewrite(from, to);
    await expect(world.submit()).rejects.toMatchObject({
      kind: "conflict",
      message: expect.stringMatching(message),
      hint: expect.stringContaining('Run "nightshift trust"'),
    });
    // A schedule submits the same way.
    await expect(submit(world.ports, SAMPLE_DRAFT, SYSTEM)).rejects.toMatchObject({ kind: "conflict" });
    expect((await world.ports.store.tasks.countTasks()).queued).toBe(0);
  });

  it("do not refuse the task if a check was only removed, because it still runs as accepted", async () => {
    await open();
    await rewrite(`checks:\n${LINT}`, "");
    const task = await world.drain((await world.submit()).id);
    expect(task).toMatchObject({ status: "succeeded", options: { unchecked: [] } });
    expect(world.supervisors.started).toContain("check:lint");
  });

  it("are named in the task if it was submitted without checks, and accepted checks still run", async () => {
    await open();
    await rewrite(LINT, `${LINT}  test: { command: "false" }\n`);
    const task = await world.drain((await submitWithoutChecks()).id);
    expect(task).toMatchObject({ status: "succeeded", options: { unchecked: ["test"] } });
    expect(world.supervisors.started).toContain("check:lint");
  });

  it("need the right to approve if they are skipped", async () => {
    await open();
    const bob = { kind: "person", name: "bob", rights: ["submit"] } as const;
    await expect(world.commands.submit({ ...SAMPLE_DRAFT, withoutChecks: true }, bob)).rejects.toMatchObject({
      kind: "forbidden",
    });
  });

  it("are not mentioned if every check is accepted", async () => {
    await open();
    expect((await submitWithoutChecks()).options.unchecked).toEqual([]);
  });
});
