import { type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { findOldNode } from "./find-old-node.ts";

const REPOSITORY = path.join(import.meta.dirname, "..");
const OLD_NODE = findOldNode();

/** Replaces the CLI: prints its arguments, waits for a signal, or kills itself. */
const FAKE_CLI = `
export async function main(argv: string[]): Promise<number> {
  process.emitWarning("SQLite is an experimental feature and might change at any time", "ExperimentalWarning");
  process.emitWarning("something else", "ExperimentalWarning");
  if (argv[0] === "die") process.kill(process.pid, "SIGKILL");
  if (argv[0] === "wait") {
    const signal = new Promise<string>((resolve) => process.once("SIGTERM", resolve));
    const timer = setInterval(() => {}, 1000);
    console.log("ready");
    console.log(await signal);
    clearInterval(timer);
  }
  console.log(process.versions.node.split(".")[0], JSON.stringify(argv));
  return 3;
}
`;

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(os.tmpdir(), "bin-")));
  await cp(path.join(REPOSITORY, "bin"), path.join(root, "bin"), { recursive: true });
  await cp(path.join(REPOSITORY, "package.json"), path.join(root, "package.json"));
  await mkdir(path.join(root, "src", "cli"), { recursive: true });
  await writeFile(path.join(root, "src", "cli", "main.ts"), FAKE_CLI);
  await mkdir(path.join(root, "node_modules"));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

describe("bin/nightshift with Node 24", () => {
  test("runs the TypeScript of the checkout and exits with its exit code", () => {
    expect(nightshift(process.execPath, "queue", "--json")).toMatchObject({
      status: 3,
      stdout: '24 ["queue","--json"]\n',
    });
  });

  test("hides the warning about SQLite and no other", () => {
    const { stderr } = nightshift(process.execPath, "queue");
    expect(stderr).not.toContain("SQLite");
    expect(stderr).toContain("something else");
  });

  test("prints its version without loading the CLI", async () => {
    await writeFile(path.join(root, "src", "cli", "main.ts"), "throw new Error('loaded');");
    expect(nightshift(process.execPath, "--version")).toMatchObject({
      status: 0,
      stdout: `${packageJson.version}\n`,
      stderr: "",
    });
  });
});

describe.skipIf(OLD_NODE === null)("bin/nightshift with an older Node", () => {
  const oldNode = OLD_NODE ?? "";

  test("restarts itself with the Node that npm installed", async () => {
    await installNode();
    expect(nightshift(oldNode, "queue", "two words")).toMatchObject({
      status: 3,
      stdout: '24 ["queue","two words"]\n',
    });
  });

  test("forwards signals, and is killed by the signal that killed its child", async () => {
    await installNode();
    const child = spawn(oldNode, [path.join(root, "bin", "nightshift"), "wait"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const output: string[] = [];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output.push(text);
      if (text.includes("ready")) child.kill("SIGTERM");
    });
    expect(await once(child, "close")).toEqual([3, null]);
    expect(output.join("")).toBe('ready\nSIGTERM\n24 ["wait"]\n');

    expect(nightshift(oldNode, "die")).toMatchObject({ status: null, signal: "SIGKILL" });
  });

  test("prints what to do if install scripts were disabled", () => {
    const { status, stdout, stderr } = nightshift(oldNode, "queue");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr.trim().split("\n")).toEqual([
      expect.stringMatching(/needs Node 24 or newer, .* Run "npm rebuild node --ignore-scripts=false" in /),
    ]);
  });

  test("does not use an installed Node that is also too old", async () => {
    const folder = path.join(root, "node_modules", "node");
    await mkdir(path.join(folder, "bin"), { recursive: true });
    await symlink(oldNode, path.join(folder, "bin", "node"));
    await writeFile(path.join(folder, "package.json"), JSON.stringify({ version: "20.0.0" }));
    expect(nightshift(oldNode, "queue").status).toBe(2);
  });
});

async function installNode(): Promise<void> {
  const folder = path.join(root, "node_modules", "node");
  await mkdir(path.join(folder, "bin"), { recursive: true });
  await symlink(process.execPath, path.join(folder, "bin", "node"));
  await writeFile(path.join(folder, "package.json"), JSON.stringify({ version: process.versions.node }));
}

function nightshift(node: string, ...args: string[]): SpawnSyncReturns<string> {
  return spawnSync(node, [path.join(root, "bin", "nightshift"), ...args], { encoding: "utf8" });
}
