import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { Event } from "../../src/core/task/event.ts";
import type { Task } from "../../src/core/task/task.ts";
import { createTempRepo } from "../../src/testing/temp-repo.ts";
import { openNight, type Night } from "../support/night.ts";

const TIMEOUT = { timeout: 180_000 };

let night: Night | null = null;
afterEach(async () => {
  await night?.close();
  night = null;
}, 60_000);

/** A package manager that needs no network: it installs one package, whose content is the lock file. */
const NPM = `#!/bin/sh
mkdir -p node_modules/dep "$HOME/.npm/_cacache"
cp package-lock.json node_modules/dep/version
echo "$PWD" > node_modules/dep/where
echo downloaded > "$HOME/.npm/_cacache/dep"
`;

const CHECK = "cat node_modules/dep/version node_modules/dep/where $HOME/.npm/_cacache/dep; ls node_modules";

async function open(agent: string, userSettings = "sandbox: { mode: enforce }\n"): Promise<Night> {
  const repo = await createTempRepo({
    "greeting.txt": "hello\n",
    "package.json": "{}\n",
    "package-lock.json": "1\n",
    ".gitignore": "node_modules\n",
  });
  const bin = join(repo.path, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "npm"), NPM);
  await chmod(join(bin, "npm"), 0o755);
  await chmod(repo.path, 0o755);
  night = await openNight({
    repo,
    agent,
    userSettings,
    env: { ...process.env, PATH: `${bin}:${process.env["PATH"]}` },
    settings: `workspace: { setup: npm ci }
sandbox: { read: [${JSON.stringify(bin)}] }
checks: { deps: { command: '${CHECK}' } }
`,
    timeoutMs: 90_000,
  });
  return night;
}

const setupEvents = async ({ wired }: Night, task: string): Promise<readonly Event[]> =>
  (await wired.ports.store.events.listEvents({ after: 0, task, limit: 1000 })).filter(
    ({ type }) => type === "workspace.setup",
  );

async function finish(opened: Night): Promise<Task> {
  const task = await opened.settled((await opened.submit()).id);
  expect(task).toMatchObject({ status: "succeeded", outcome: "published" });
  return task;
}

/** What the check printed, and whether set-up ran in the job of each run. */
async function inspect(opened: Night, task: Task) {
  const [agent, checks] = await opened.runs(task.id);
  const log = await opened.wired.ports.runFiles.readLogTail(checks?.id ?? "", "checks/deps.log", 10_000);
  const [version, where, cached, ...modules] = log.trim().split("\n");
  const dirs = [join(opened.home, "runs", agent?.id ?? "", "setup"), join(opened.home, "runs", checks?.id ?? "")];
  const { lines } = await opened.wired.ports.runFiles.readTranscript(agent?.id ?? "", 0, 100_000);
  return {
    version,
    isOwnPath: where?.endsWith(checks?.id ?? "-") === true,
    cached,
    modules,
    ranSetup: dirs.map((dir) => existsSync(join(dir, "setup.log"))),
    transcript: lines.map(({ text }) => text),
  };
}

const AGENT = `cat node_modules/dep/version "$HOME/.npm/_cacache/dep"; ls node_modules
echo evil > node_modules/dep/version; echo evil > node_modules/planted; echo evil > "$HOME/.npm/_cacache/dep"
for dir in ../../../caches ../../../../caches; do ls $dir 2>/dev/null; (echo evil > $dir/evil) 2>/dev/null; done
echo more >> greeting.txt; done_with ok`;

it("reuse setup: checks and later tasks get their own copies, and nothing that an agent changed", TIMEOUT, async () => {
  const opened = await open(AGENT);
  const clean = { version: "1", isOwnPath: true, cached: "downloaded", modules: ["dep"] };
  const first = await finish(opened);
  const transcript = ["1", "downloaded", "dep"];
  expect(await inspect(opened, first)).toEqual({ ...clean, transcript, ranSetup: [true, false] });
  expect((await setupEvents(opened, first.id)).map(({ level, data }) => [level, data["reused"], data["kept"]])).toEqual(
    [
      ["debug", false, true],
      ["info", true, undefined],
    ],
  );
  const second = await finish(opened);
  expect(await inspect(opened, second)).toEqual({ ...clean, transcript, ranSetup: [false, false] });
  expect((await setupEvents(opened, second.id))[0]?.summary).toMatch(/^set-up skipped: /);
});

it("reuse setup: another lock file is installed for its own checks only", TIMEOUT, async () => {
  const opened = await open(
    'cat node_modules/dep/version; [ -e "$OUT.x" ] || echo 2 > package-lock.json; done_with "updated the lock file"',
  );
  const task = await opened.settled((await opened.submit()).id);
  const seen = await inspect(opened, task);
  expect(seen).toMatchObject({ version: "2", modules: ["dep"], ranSetup: [true, true], transcript: ["1"] });
  const next = await opened.settled((await opened.submit()).id);
  expect(await inspect(opened, next)).toMatchObject({ version: "2", ranSetup: [false, true], transcript: ["1"] });
  const [project = ""] = readdirSync(join(opened.home, "caches"));
  expect(readdirSync(join(opened.home, "caches", project))).toHaveLength(1);
});

it("reuse setup: damaged files are reported once and installed again", TIMEOUT, async () => {
  const opened = await open("cat node_modules/dep/version; echo more >> greeting.txt; done_with ok");
  await finish(opened);
  const dir = join(opened.home, "caches");
  const file = readdirSync(dir, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith("dep/version"));
  await writeFile(join(dir, file ?? "missing"), "");
  const task = await finish(opened);
  expect(await inspect(opened, task)).toMatchObject({ version: "1", transcript: ["1"], ranSetup: [true, false] });
  expect((await setupEvents(opened, task.id)).filter(({ level }) => level === "warning")).toHaveLength(1);
});

it("reuse setup: nothing is kept or reused without a sandbox", TIMEOUT, async () => {
  const opened = await open("echo more >> greeting.txt; done_with ok", "sandbox: { mode: none }\n");
  await finish(opened);
  expect(await inspect(opened, await finish(opened))).toMatchObject({ ranSetup: [true, true] });
  expect(existsSync(join(opened.home, "caches"))).toBe(false);
  expect(readFileSync(join(opened.repo.checkout, "package-lock.json"), "utf8")).toBe("1\n");
});
