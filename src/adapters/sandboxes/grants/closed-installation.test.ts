import { execFile } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { UserError } from "../../../core/text/errors.ts";
import { requireReadable } from "./require-readable.ts";

const SOURCES = join(import.meta.dirname, "../../..");
const isRootOnLinux = process.platform === "linux" && process.getuid?.() === 0;

/** Opens the sandbox for a command and prints the result. */
const PROGRAM = `
const [folder, changes] = process.argv.slice(2);
const { sandboxes } = await import("./src/adapters/sandboxes/index.ts");
const { runConfined } = await import("./src/adapters/sandboxes/run-confined.ts");
const { testPolicy } = await import("./src/testing/policy.ts");
const context = { dir: folder + "/wall", socket: folder + "/s", cache: folder + "/cache", run: "run_closed", onDenied() {} };
const policy = testPolicy(folder + "/work", { env: { PATH: "/usr/bin:/bin" }, ...JSON.parse(changes) });
try {
  const { command, problem, close } = await sandboxes.enforce.open(policy, ["sh", "-c", "cat " + folder + "/data/prompt; id -u"], context);
  const { stdout, stderr, status } = await runConfined(command, { timeoutMs: 20_000, graceMs: 5_000 });
  await close();
  console.log(JSON.stringify({ stdout, problem: problem(status, stderr) }));
} catch (error) {
  console.log(JSON.stringify({ kind: error.kind, message: error.message, hint: error.hint }));
}
`;

// Only under root does a run have a user of its own, who may be unable to read the installation.
describe.runIf(isRootOnLinux)("sandbox: an installation that only root can read", () => {
  let root: string;
  let node: string;

  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-closed-")));
    node = join(root, "node");
    copyFileSync(realpathSync(process.execPath), node);
    for (const name of ["adapters", "core", "policy", "ports", "testing"])
      cpSync(join(SOURCES, name), join(root, "src", name), { recursive: true });
    writeFileSync(join(root, "program.mjs"), PROGRAM);
    for (const name of ["work", "data"]) mkdirSync(join(root, name));
    writeFileSync(join(root, "data", "prompt"), "do this\n", { mode: 0o600 });
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  async function open(nodeMode: number, changes: object): Promise<unknown> {
    await promisify(execFile)("chmod", ["-R", "go-rwx", root]);
    chmodSync(node, nodeMode);
    const args = [join(root, "program.mjs"), root, JSON.stringify(changes)];
    const { stdout } = await promisify(execFile)(node, args, { cwd: root });
    return JSON.parse(stdout);
  }

  const reached = { stdout: expect.stringMatching(/^\d{5,}\n$/), problem: null };

  test("works if its Node is readable, which is needed for the relay only", async () => {
    expect(await open(0o755, { network: ["packages.example"] })).toEqual(reached);
    expect(await open(0o700, {})).toEqual(reached);
  });

  test("is refused with the chmod command if its Node is not readable", async () => {
    expect(await open(0o700, { network: ["packages.example"] })).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining(`who cannot read ${node}.`),
      hint: expect.stringContaining(`Run: chmod -R o+rX ${node} `),
    });
  });

  test("lists all unreadable paths that the run needs", async () => {
    const read = [join(root, "src/core"), join(root, "program.mjs")];
    const refused = await open(0o755, { own: { write: [join(root, "work")], read } });
    expect(refused).toMatchObject({ kind: "unavailable", hint: expect.stringContaining(`o+rX ${read.join(" ")} `) });
  });

  test("files written for the run are readable for its user", async () => {
    const own = { write: [join(root, "work")], read: [join(root, "data/prompt")] };
    const forbidden = [join(root, "data")];
    expect(await open(0o755, { own, forbidden })).toMatchObject({
      stdout: expect.stringMatching(/^do this\n\d{5,}\n$/),
    });
  });
});

test("sandbox: only root's runs have another user, and missing paths are ignored", () => {
  const closed = mkdtempSync(join(tmpdir(), "nightshift-closed-"));
  onTestFinished(() => rmSync(closed, { recursive: true }));
  expect(() => requireReadable([closed], null)).not.toThrow();
  expect(() => requireReadable(["/no/such/file", "/usr", "/bin/sh"], { uid: 70_000 })).not.toThrow();
  expect(() => requireReadable([closed], { uid: 70_000 })).toThrow(UserError);
});
