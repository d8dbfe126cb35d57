import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { release } from "node:os";
import { dirname, join } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import type { Sandbox } from "../../../ports/sandbox.ts";
import { WAYS_OUT } from "./diagnose.ts";
import { findBubblewrap } from "../bubblewrap/find-bubblewrap.ts";
import type { Probe } from "./self-test-probes.ts";
import type { SceneParams } from "./self-test-scene.ts";
import { runSelfTest } from "./self-test.ts";

const FILE = "self-test.json";

/** As `runSelfTest`, but a test that was passed is not taken again on the same machine with the same wall. */
export async function runSelfTestOnce(sandbox: Sandbox, params: SceneParams): Promise<readonly Probe[]> {
  const file = join(params.home, FILE);
  const key = await describeTest(sandbox);
  const before = readResult(file);
  if (before?.key === key) return before.probes;
  const probes = await runSelfTest(sandbox, params);
  if (probes.every(({ ok }) => ok)) writeResult(file, { key, probes });
  return probes;
}

/** Throws a UserError of kind "unavailable" that names what got through the wall. */
export function requireHeld(probes: readonly Probe[]): void {
  const open = probes.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`);
  if (open.length === 0) return;
  const sentence = `The sandbox does not hold on this machine (${open.join("; ")}), so no run is started.`;
  throw new UserError("unavailable", sentence, `nightshift doctor shows every probe. ${WAYS_OUT}`);
}

/** All that the result depends on. */
async function describeTest(sandbox: Sandbox): Promise<string> {
  const version = sandbox.name === "bubblewrap" ? (await findBubblewrap()).version : release();
  const user = String(process.getuid?.() ?? "");
  return [process.platform, process.arch, release(), sandbox.name, version, user, describeProgram()].join(" ");
}

/** The wall's own files: one that was changed or installed anew has proved nothing yet. */
function describeProgram(): string {
  const folder = dirname(import.meta.dirname);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  const hash = createHash("sha256");
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(folder, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

interface Result {
  readonly key: string;
  readonly probes: readonly Probe[];
}

function readResult(file: string): Result | null {
  try {
    // Written below, in a folder that only this user can write to.
    return JSON.parse(readFileSync(file, "utf8")) as Result;
  } catch {
    return null;
  }
}

function writeResult(file: string, result: Result): void {
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(result, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}
