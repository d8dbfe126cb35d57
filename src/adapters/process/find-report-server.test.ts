import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { bundleCheckout } from "../../../scripts/bundle-supervisor.ts";
import type { RunPaths } from "../../ports/run-files.ts";
import { testPolicy } from "../../testing/policy.ts";
import { realSupervisors } from "../../testing/real-supervisors.ts";
import { openJobBench, printed } from "../../testing/suites/supervisor/supervisor.suite.ts";
import type { JobBench } from "../../testing/suites/supervisor/supervisor.suite.ts";
import { createRunFiles } from "../run-files/run-files.ts";
import { REPORT_SERVER } from "./bundle.ts";
import { reportServerFor } from "./find-report-server.ts";
import { findInnerProgram, fromSources } from "./inner-program.ts";

const CHECKOUT = join(import.meta.dirname, "../../..");
const REPORT = { outcome: "implemented", summary: "from inside" };

const request = (id: number, method: string, params: object) => ({ jsonrpc: "2.0", id, method, params });
const clientInfo = { name: "test", version: "1" };
const CONVERSATION = [
  request(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }),
  { jsonrpc: "2.0", method: "notifications/initialized" },
  request(2, "tools/call", { name: "report_outcome", arguments: REPORT }),
];

const SCOPE = { role: "implement", plan: "document" } as const;

let bench: JobBench;
let paths: RunPaths;

beforeAll(() => bundleCheckout(CHECKOUT, REPORT_SERVER));
beforeEach(async () => {
  bench = openJobBench(realSupervisors);
  const runFiles = createRunFiles({ home: bench.home });
  paths = await runFiles.prepare({ run: "run_mcp", task: "task_1", role: "implement" });
});

/** Talks to the server inside a sandbox that grants only the paths that the server declares. */
async function talkInside(argv: readonly [string, ...string[]], read: readonly string[], executes: boolean) {
  const { files } = reportServerFor(paths, SCOPE);
  mkdirSync(paths.filesDir, { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(file, content);
  const stdinFile = join(bench.home, "conversation");
  writeFileSync(stdinFile, CONVERSATION.map((message) => `${JSON.stringify(message)}\n`).join(""));
  const own = { write: [paths.outcomeDir], read: [paths.filesDir, ...read] };
  const policy = testPolicy(paths.outcomeDir, { own, commands: [], executes });
  const job = bench.job([{ argv, policy, stdinFile }], { sandbox: "enforce" });
  const record = await bench.run(job);
  return { code: record.commands[0]?.exit.code, said: printed(job).join("\n"), errors: printed(job, "stderr") };
}

function kept(): unknown {
  return JSON.parse(readFileSync(paths.reportFile, "utf8"));
}

describe("report server in the sandbox", () => {
  test.each([true, false])("the bundle needs no other file (workspace may execute: %s)", async (executes) => {
    const { server, read } = reportServerFor(paths, SCOPE);
    expect(read).toEqual([process.execPath, server.args[0]]);
    // Start it as a child like an agent CLI does, not as the sandbox's own command.
    const line = [server.command, ...server.args].map((word) => `'${word}'`).join(" ");
    const { code, said, errors } = await talkInside(["sh", "-c", `${line}; exit $?`], read, executes);
    expect({ code, errors }).toEqual({ code: 0, errors: [] });
    expect(said).toContain("Recorded: implemented");
    expect(kept()).toEqual(REPORT);
  });

  test("the sources run with only their imports", async () => {
    const { file, read } = fromSources(CHECKOUT, REPORT_SERVER);
    const [, rulesFile = ""] = reportServerFor(paths, SCOPE).server.args;
    const { code, said } = await talkInside([process.execPath, file, rulesFile], read, true);
    expect(code).toBe(0);
    expect(said).toContain("Recorded: implemented");
    expect(kept()).toEqual(REPORT);
  });
});

test("report server: the bundle is up to date with its sources", () => {
  const { file, read } = findInnerProgram(REPORT_SERVER);
  expect(read).toEqual([file]);
  expect(file).toMatch(/mcp\/report-outcome\.mjs$/);
  // Only Node's own modules are available.
  const imported = [...readFileSync(file, "utf8").matchAll(/^(?:import|export) .*from ?"([^"]+)"/gm)].map(
    ([, name]) => name,
  );
  expect(imported.filter((name) => name?.startsWith("node:") !== true)).toEqual([]);
});
