import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { sandboxes } from "../../src/adapters/sandboxes/index.ts";
import { runConfined } from "../../src/adapters/sandboxes/run-confined.ts";
import type { SandboxPolicy } from "../../src/ports/sandbox.ts";
import { testPolicy } from "../../src/testing/policy.ts";
import { atMost, type Measured, type Target } from "../report.ts";
import { interleave, median, timed } from "../statistics.ts";

const ROUNDS = 40;
const TRUE = "/bin/true";
/** A minimal bwrap call: namespaces, the machine read-only, processes, devices, a temporary directory. */
const BARE = "--unshare-all --ro-bind / / --proc /proc --dev /dev --tmpfs /tmp".split(" ");

/** Measures the sandbox's overhead per command, with a program that does nothing. */
export async function measureSandbox(): Promise<readonly Measured[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-bench-wall-")));
  try {
    const times = await interleave(ROUNDS, {
      plain: () => timed(() => promisify(execFile)(TRUE)),
      bare: () => timed(() => promisify(execFile)("bwrap", [...BARE, TRUE])),
      closed: () => timed(() => runInside(folder, {})),
      toolchains: () => timed(() => runInside(folder, { env: { PATH: process.env["PATH"] ?? "" } })),
      listed: () => timed(() => runInside(folder, { commands: ["git", "node", "npm"] })),
      open: () => timed(() => runInside(folder, { network: ["packages.example"] })),
      reader: () => timed(() => runInside(folder, { executes: false, own: { write: [], read: [] } })),
    });
    const [plain, bare, closed] = [median(times.plain), median(times.bare), median(times.closed)];
    const [toolchains, listed] = [median(times.toolchains), median(times.listed)];
    const [open, reader] = [median(times.open), median(times.reader)];
    return [
      row("bare bwrap (baseline: plain spawn)", bare, plain),
      row("our sandbox without network (baseline: bare bwrap)", closed, bare, atMost(closed / bare, 2, "2 ×")),
      row("our sandbox with network (baseline: without)", open, closed, atMost(open - closed, 80, "80 ms more")),
      row("our sandbox with the toolchains of this PATH (baseline: bare bwrap)", toolchains, bare),
      row("our sandbox with a list of commands (baseline: bare bwrap)", listed, bare),
      row("our sandbox for a read-only role (baseline: bare bwrap)", reader, bare),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function row(what: string, value: number, baseline: number, target: Target | null = null): Measured {
  return { row: "g", unit: "ms", what, value, baseline, target };
}

async function runInside(folder: string, changes: Partial<SandboxPolicy>): Promise<void> {
  const environment = {
    dir: join(folder, "wall"),
    socket: join(folder, "out.sock"),
    cache: join(folder, "cache"),
    run: "run_bench",
    onDenied: () => undefined,
  };
  const confinement = await sandboxes.enforce.open(
    testPolicy(folder, { env: { PATH: "/usr/local/bin:/usr/bin:/bin" }, ...changes }),
    [TRUE],
    environment,
  );
  const { status, code, stderr } = await runConfined(confinement.command, { timeoutMs: 10_000, graceMs: 0 });
  await confinement.close();
  if (code !== 0) throw new Error(confinement.problem(status, stderr) ?? `exit code ${code}: ${stderr}`);
}
