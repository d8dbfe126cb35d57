import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { execFile } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSqliteStore } from "../../adapters/stores/sqlite/open.ts";
import { SYSTEM } from "../../core/task/event.ts";
import { createTempRepo, type TempRepo } from "../../testing/temp-repo.ts";
import { checkMachine, type Finding } from "./doctor.ts";
import { checkGit, checkHome, checkNode, checkPath } from "./doctor-machine.ts";
import { checkRemote } from "./doctor-forge.ts";

let repo: TempRepo;
let home: string;

beforeEach(async () => {
  repo = await createTempRepo();
  home = join(repo.path, "home");
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, "config.yaml"), "sandbox: { mode: none }\n");
});

afterEach(async () => {
  await repo.remove();
});

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

async function listFindings(cwd: string): Promise<readonly Finding[]> {
  const env = { PATH: process.env["PATH"], HOME: repo.path, NIGHTSHIFT_HOME: home, SET_TOKEN: "x", EMPTY_TOKEN: "" };
  return checkMachine({ env, cwd });
}

async function check(cwd: string = repo.path): Promise<Map<string, Finding>> {
  const findings = await listFindings(cwd);
  return new Map(findings.map((finding) => [finding.name, finding]));
}

/** Registers a project without accepted permissions, in a database like the daemon's. */
async function register(name = "shop"): Promise<void> {
  const store = await openSqliteStore({ file: join(home, "nightshift.db"), log });
  const project = {
    name,
    path: repo.checkout,
    remote: repo.remote,
    defaultBranch: "main",
    accepted: "{}",
    acceptedBy: "ann",
    acceptedAt: 0,
  };
  await store.projects.saveProject(project, {
    at: 0,
    task: null,
    run: null,
    type: "project.registered",
    level: "info",
    actor: SYSTEM,
    summary: "registered",
    data: {},
  });
  await store.close();
}

test("doctor finds no errors on a fresh machine", async () => {
  const found = await check();
  expect([...found.values()].filter(({ ok }) => ok === "no")).toEqual([]);
  expect(found.get("database")?.detail).toContain("does not exist yet");
  expect(found.get("daemon")?.detail).toContain("not running");
});

describe("doctor: home and configuration", () => {
  test("rejects a home inside a repository", async () => {
    home = join(repo.checkout, "home");
    expect((await check()).get("home")).toMatchObject({
      ok: "no",
      detail: expect.stringContaining("inside the git repository"),
    });
  });

  test("reports a read-only home", async () => {
    const readOnly = Object.assign(new Error("EROFS: read-only file system"), { code: "EROFS", path: home });
    expect(await checkHome(home, () => Promise.reject(readOnly))).toMatchObject({
      ok: "no",
      detail: expect.stringContaining("its disk is read-only"),
      fix: expect.stringContaining("NIGHTSHIFT_HOME"),
    });
  });

  test("reports every problem of config.yaml with its line", async () => {
    await writeFile(join(home, "config.yaml"), "agnt: x\nlimits: { concurrent_runs: many }\n");
    expect((await check()).get("config.yaml")).toMatchObject({
      ok: "no",
      detail: expect.stringMatching(/config\.yaml:1:.*\n.*config\.yaml:2:/),
    });
  });

  test("warns about a disabled sandbox and tests an enabled one", async () => {
    expect((await check()).get("sandbox")).toMatchObject({ ok: "warn", detail: expect.stringContaining("NONE") });
    await writeFile(join(home, "config.yaml"), "");
    expect((await check()).get("sandbox")).toMatchObject({ detail: expect.stringMatching(/probes passed/) });
  });

  test("warns about a daemon that does not respond", async () => {
    await writeFile(join(home, "daemon.json"), '{"pid":1,"url":"http://127.0.0.1:1","token":"x"}');
    expect((await check()).get("daemon")).toMatchObject({ ok: "warn", fix: "nightshift start" });
  });
});

describe("doctor: database", () => {
  test("reads the database while a daemon has it locked", async () => {
    await register();
    const store = await openSqliteStore({ file: join(home, "nightshift.db"), log });
    expect((await check()).get("database")).toMatchObject({ ok: "yes", detail: expect.stringMatching(/1 project$/) });
    // Check from another process that this one still holds the lock.
    const open = `import("${join(import.meta.dirname, "../../adapters/stores/sqlite/open.ts")}").then((m) => m.openSqliteStore({ file: process.argv[1], log: { info() {}, warn() {}, error() {} } }))`;
    await expect(promisify(execFile)(process.execPath, ["-e", open, join(home, "nightshift.db")])).rejects.toThrow(
      "Another Nightshift daemon",
    );
    await store.close();
  });

  test("distinguishes a newer database from a damaged one", async () => {
    await register();
    const file = join(home, "nightshift.db");
    const database = new DatabaseSync(file);
    database.exec("update meta set value = '999' where name = 'schema_version'");
    database.close();
    expect((await check()).get("database")).toMatchObject({ ok: "no", detail: expect.stringContaining("999") });
    await writeFile(file, "this is no database, and it is long enough to be looked at".repeat(100));
    expect((await check()).get("database")).toMatchObject({ ok: "no", detail: expect.stringContaining("damaged") });
  });
});

describe("doctor: project of the current folder", () => {
  test("warns about a project that is not registered", async () => {
    const found = await check(repo.checkout);
    expect(found.get("project")).toMatchObject({ ok: "warn", fix: "nightshift init" });
    expect(found.get("push")).toMatchObject({ ok: "yes" });
  });

  test("reports pending trust, a missing agent and an invalid file", async () => {
    await register();
    const file = join(repo.checkout, "nightshift.yaml");
    await writeFile(file, 'project: shop\nchecks:\n  test: { command: "true" }\n');
    expect((await check(repo.checkout)).get("trust")).toMatchObject({
      ok: "warn",
      detail: expect.stringContaining("checks"),
      fix: "nightshift trust",
    });
    await writeFile(
      join(home, "config.yaml"),
      "sandbox: { mode: none }\nagent: mine\nagents:\n  mine: { kind: command, command: [no-such-program] }\n",
    );
    await writeFile(file, "project: shop\n");
    expect((await check(repo.checkout)).get("agent mine")).toMatchObject({
      ok: "no",
      detail: expect.stringContaining("no-such-program"),
    });
    await writeFile(file, "project: [\n");
    expect((await check(repo.checkout)).get("nightshift.yaml")).toMatchObject({
      ok: "no",
      detail: expect.stringContaining("nightshift.yaml:"),
    });
  });

  test("reports an invalid config.yaml once, together with an invalid nightshift.yaml", async () => {
    await register();
    await writeFile(join(home, "config.yaml"), "agnt: x\n");
    const bad = async () => (await listFindings(repo.checkout)).filter(({ ok }) => ok === "no");
    expect(await bad()).toMatchObject([{ name: "config.yaml" }]);
    await writeFile(join(repo.checkout, "nightshift.yaml"), "projct: shop\n");
    expect(await bad()).toMatchObject([{ name: "config.yaml" }, { name: "nightshift.yaml" }]);
    await writeFile(join(repo.checkout, "nightshift.yaml"), "");
    await writeFile(join(home, "config.yaml"), "sandbox: { mode: none }\nagent: nobody\n");
    expect(await bad()).toMatchObject([{ name: "config.yaml", detail: expect.stringContaining("no agent `nobody`") }]);
  });

  test("warns about missing programs, secrets that are not set and keys without effect", async () => {
    const text = `
sandbox: { commands: [git, nosuchprog, "othernosuch run"] }
secrets: { SET_TOKEN: { roles: [implement] }, GONE_TOKEN: { roles: [implement, review] }, EMPTY_TOKEN: { roles: [plan] } }
notify: { slack: { channel: "#night" } }
improve: { publish: engine }
`;
    await writeFile(join(repo.checkout, "nightshift.yaml"), text);
    const listWarnings = async () => {
      const found = await check(repo.checkout);
      return ["commands", "secrets", "no effect"].map((name) => [found.get(name)?.ok, found.get(name)?.detail]);
    };
    const expected = [
      [
        "warn",
        "nosuchprog is in sandbox.commands, but is not on this machine's PATH\nothernosuch is in sandbox.commands, but is not on this machine's PATH",
      ],
      [
        "warn",
        "GONE_TOKEN is granted to implement, review, but is not set\nEMPTY_TOKEN is granted to plan, but is not set",
      ],
      ["warn", "these settings have no effect in this version: notify.slack"],
    ];
    expect(await listWarnings()).toEqual(expected);
    await register();
    expect(await listWarnings()).toEqual(expected);
  });

  test("reports invalid sandbox paths, accepted or not", async () => {
    await writeFile(join(repo.checkout, "nightshift.yaml"), "sandbox: { write: [., /no/such/place] }\n");
    // Without a sandbox, the paths do not matter.
    expect((await check(repo.checkout)).has("sandbox paths")).toBe(false);
    await writeFile(join(home, "config.yaml"), `sandbox: { read: [${home}] }\n`);
    const fileFinding = (await check(repo.checkout)).get("sandbox paths");
    expect(fileFinding).toMatchObject({ ok: "no", detail: expect.stringContaining("is a git checkout") });
    expect(fileFinding?.detail).toContain("/no/such/place (to write) does not exist");
    expect(fileFinding?.detail).not.toContain("Nightshift's own data");
    await register();
    const allFindings = (await check(repo.checkout)).get("sandbox paths");
    expect(allFindings?.detail).toContain("is a git checkout");
    expect(allFindings?.detail).toContain("Nightshift's own data");
  });

  test("reports a missing remote and one that rejects the push", async () => {
    expect(await checkRemote(join(repo.path, "gone.git"))).toMatchObject([
      { name: "remote", ok: "no", detail: expect.stringContaining("not a git repository") },
    ]);
    // git reads from a bundle and cannot write to one.
    const bundle = join(repo.path, "shop.bundle");
    await repo.git("bundle", "create", "--quiet", bundle, "HEAD", "main");
    expect(await checkRemote(bundle)).toMatchObject([
      { name: "remote", ok: "yes" },
      { name: "push", ok: "no" },
    ]);
  });

  test("tests the push without leaving a branch behind", async () => {
    expect(await checkRemote(repo.remote)).toMatchObject([{ ok: "yes" }, { ok: "yes" }]);
    expect(await repo.git("ls-remote", "--heads", "origin")).not.toContain("nightshift-doctor");
  });
});

describe("doctor: machine", () => {
  test("rejects an old Node", () => {
    expect(checkNode("22.1.0")).toMatchObject({ ok: "no" });
    expect(checkNode("24.0.0")).toMatchObject({ ok: "yes" });
  });

  test.for([
    ["git version 2.37.9", "no"],
    ["git version 2.38.0", "yes"],
    ["git version 3.0.1 (Apple Git-1)", "yes"],
  ] as const)("%s: %s", async ([version, ok]) => {
    const bin = join(repo.path, "bin");
    await mkdir(bin);
    await writeFile(join(bin, "git"), `#!/bin/sh\necho "${version}"\n`);
    await chmod(join(bin, "git"), 0o755);
    expect(await checkGit({ PATH: bin })).toMatchObject({ ok });
  });

  test("warns about a PATH to which other users could add programs", async () => {
    expect(await checkGit({ PATH: repo.path })).toMatchObject({ ok: "no" });
    expect(await checkPath({ PATH: "/usr/bin:." })).toMatchObject({ ok: "warn" });
    const open = join(repo.path, "open");
    await mkdir(open);
    await chmod(open, 0o777);
    expect(await checkPath({ PATH: `/usr/bin:${open}` })).toMatchObject({ ok: "warn", fix: `chmod o-w ${open}` });
  });
});

test("doctor: a folder is one project and keeps its registered name", async () => {
  await register();
  await writeFile(join(repo.checkout, "nightshift.yaml"), "project: shop\n");
  expect((await check(repo.checkout)).get("project")).toMatchObject({ ok: "yes", detail: "shop is registered" });
  await writeFile(join(repo.checkout, "nightshift.yaml"), "project: store\n");
  expect((await check(repo.checkout)).get("project")).toMatchObject({
    ok: "warn",
    detail: "registered as shop, but nightshift.yaml has the name store",
    fix: "write `project: shop` in nightshift.yaml",
  });
  await register("store");
  expect((await check(repo.checkout)).get("project")).toMatchObject({
    ok: "no",
    detail: `${repo.checkout} is registered as shop and as store`,
  });
});

test("doctor compares the daemon's version with its own, and warns about an old daemon", async () => {
  const answers: Readonly<Record<string, unknown>> = { "/api/v1/status": { version: "1.0.0", problems: [] } };
  const server = createServer((request, response) => {
    const path = request.url?.split("?", 1)[0] ?? "";
    response.setHeader("content-type", "application/json").end(JSON.stringify(answers[path] ?? { findings: [] }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const { port } = server.address() as AddressInfo;
    await writeFile(join(home, "daemon.json"), JSON.stringify({ pid: 1, url: `http://127.0.0.1:${port}`, token: "t" }));
    const env = { PATH: process.env["PATH"], HOME: repo.path, NIGHTSHIFT_HOME: home };
    const ask = async (version: string) =>
      (await checkMachine({ env, cwd: repo.path, version })).find(({ name }) => name === "daemon");
    expect(await ask("1.0.0")).toMatchObject({ ok: "yes", night: { met: true } });
    expect(await ask("1.1.0")).toMatchObject({ ok: "warn", detail: expect.stringContaining("has version 1.1.0") });
  } finally {
    server.close();
  }
});
