import { bareNode } from "../bare.ts";
import { cli } from "../cli.ts";
import { createBenchEnvironment, openDaemon, QUICK_AGENT, register } from "../environment.ts";
import { atMost, type Measured } from "../report.ts";
import { interleave, median, timed } from "../statistics.ts";
import { findOldNode } from "../../test/find-old-node.ts";

const ROUNDS = 15;

export async function measureColdStart(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment(QUICK_AGENT, 2);
  const daemon = await openDaemon(environment);
  try {
    await register(environment, daemon.client);
    const old = findOldNode();
    const measured = await interleave(ROUNDS, {
      node: () => timed(bareNode),
      version: () => timed(() => cli(environment, ["--version"])),
      help: () => timed(() => cli(environment, ["--help"])),
      queue: () => timed(() => cli(environment, ["queue", "--json"])),
      restart: () => (old === null ? Promise.resolve(0) : timed(() => cli(environment, ["--help"], old))),
    });
    const baseline = median(measured.node);
    const row = (what: string, values: readonly number[]): Measured => ({
      row: "d",
      what: `cold start: ${what} (baseline: node -e 0)`,
      unit: "ms",
      value: median(values),
      baseline,
      target: null,
    });
    const version = row("nightshift --version", measured.version);
    return [
      { ...version, target: atMost(version.value, 1.5 * baseline, "1.5 ×") },
      row("nightshift --help", measured.help),
      row("nightshift queue --json", measured.queue),
      ...(old === null ? [] : [row("nightshift --help, started by an older Node", measured.restart)]),
    ];
  } finally {
    await daemon.stop();
    environment.remove();
  }
}
