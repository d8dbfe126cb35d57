import { bareNode } from "../bare.ts";
import { cli } from "../cli.ts";
import { makePlace, openDaemon, QUICK_AGENT, register } from "../place.ts";
import { atMost, type Measured } from "../report.ts";
import { interleave, median, timed } from "../statistics.ts";
import { findOldNode } from "../../test/find-old-node.ts";

const ROUNDS = 15;

export async function measureColdStart(): Promise<readonly Measured[]> {
  const place = makePlace(QUICK_AGENT, 2);
  const daemon = await openDaemon(place);
  try {
    await register(place, daemon.client);
    const old = findOldNode();
    const measured = await interleave(ROUNDS, {
      node: () => timed(bareNode),
      version: () => timed(() => cli(place, ["--version"])),
      help: () => timed(() => cli(place, ["--help"])),
      queue: () => timed(() => cli(place, ["queue", "--json"])),
      restart: () => (old === null ? Promise.resolve(0) : timed(() => cli(place, ["--help"], old))),
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
    place.remove();
  }
}
