import { existsSync } from "node:fs";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { addPlain, approved, closeStaged, makeDirectory, openStaged, planned } from "../../support/in-place.ts";
import { startDependents } from "../../../src/engine/reconcile/start-dependents.ts";
import { ALICE } from "../../support/night.ts";

afterEach(closeStaged);

const SECRET = ["ghp", "Zx81kQ7mP3vN9tR5wY2bC6dF8gH4jL0sA1eU"].join("_");
const WRITE_SECRET = (file: string) => `printf 'token: ghp_%s\\n' ${SECRET.slice(4)} >> ${file}`;

/** As root, each agent runs as another user. */
async function writeOpenFile(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o666);
}

describe("files that a task writes directly", { timeout: 90_000 }, () => {
  it("do not let a task in place succeed if they contain a secret, and nothing repairs them without a person", async () => {
    const open = await openStaged({ directories: ["."] }, `${WRITE_SECRET("new.txt")}; ${WRITE_SECRET("old.txt")}`);
    const dir = await addPlain(open);
    await writeOpenFile(join(dir, "old.txt"), "old\n");
    const task = await approved(open, { project: "plain" });
    expect(task).toMatchObject({ status: "waiting", waitingFor: { kind: "choice" } });
    const [check] = await open.wired.ports.store.tasks.listChecks(task.id);
    expect(check).toMatchObject({ name: "no-secrets", status: "failed", severity: "error" });
    expect(check?.tail).toMatch(/new\.txt:1.*\n.*old\.txt:2.*The file existed before the run\./);
    const stored = [task, await open.runs(task.id), check];
    expect(JSON.stringify(stored)).not.toContain(SECRET);
    expect((await open.runs(task.id)).map(({ role, outcome }) => [role, outcome])).toEqual([
      ["plan", "plan_complete"],
      ["execute", "policy_failed"],
    ]);
    expect(await readFile(join(dir, "old.txt"), "utf8")).toContain(SECRET);
  });

  it("are searched for secrets in a directory outside of the repository too", async () => {
    const outside = await makeDirectory();
    const open = await openStaged({ directories: ["reports", outside] }, WRITE_SECRET(`${outside}/note.txt`));
    const task = await approved(open, {});
    expect(task).toMatchObject({ status: "waiting", waitingFor: { kind: "choice" } });
    expect(task.waitingFor).toMatchObject({ reason: expect.stringContaining(`${outside}/note.txt:1`) as string });
  });
});

describe("two tasks that write to the same directory", { timeout: 90_000 }, () => {
  it("take turns, also if one directory contains the other, in different projects, and while one task is paused", async () => {
    const outside = await makeDirectory();
    const inner = join(outside, "inner");
    const open = await openStaged(
      { directories: ["."] },
      // Fails if both run at the same time.
      `mkdir ${inner}/busy; echo $? $PWD >> ${inner}/log.txt
while [ $PWD != ${inner} ] && [ ! -e ${inner}/go ]; do sleep 0.1; done; rmdir ${inner}/busy`,
    );
    const { commands, until, settled } = open;
    await addPlain(open, "inner", outside);
    await writeOpenFile(join(inner, "log.txt"), "");
    const one = await planned(open, { allowDirs: [outside] });
    const two = await planned(open, { project: "inner" });
    await commands.approve(one.id, one.planHash, ALICE);
    await until(one.id, () => existsSync(join(inner, "busy")));
    await commands.approve(two.id, two.planHash, ALICE);
    const held = await until(two.id, ({ queuedFor }) => queuedFor !== null);
    expect(held.queuedFor).toMatchObject({ kind: "dependency", overlap: { task: one.id, files: [inner] } });
    await commands.pause(one.id, ALICE);
    await startDependents(open.wired.ports);
    expect((await open.runs(two.id)).map(({ status }) => status)).toEqual(["succeeded", "queued"]);
    await commands.resume(one.id, ALICE);
    await writeFile(join(inner, "go"), "");
    expect(await settled(one.id)).toMatchObject({ status: "succeeded" });
    expect(await settled(two.id)).toMatchObject({ status: "succeeded" });
    expect(await readFile(join(inner, "log.txt"), "utf8")).toMatch(/^0 .*\n0 .*\/inner\n$/);
  });
});
