import { describe, expect, it } from "vitest";
import { canMount } from "./disk.ts";
import { everyCheckpoint } from "./plan.ts";
import { createRandom } from "./random.ts";
import {
  crashAt,
  killAgents,
  killAll,
  killDaemons,
  killSupervisors,
  playDiskRound,
  playRound,
  type Round,
} from "./rounds.ts";

const seed = Date.now() % 1e9;
const PATIENCE_MS = 180_000;

function expectWhole(round: Round): void {
  expect(round.violations, `seed ${seed}`).toEqual([]);
}

/** The long way is `npm run chaos`. Each of these ends with everything that must hold after a crash (inspect.ts). */
describe.skipIf(process.platform !== "linux").concurrent("kill -9", { timeout: PATIENCE_MS }, () => {
  it("of the daemon at each checkpoint", async () => {
    expectWhole(await playRound("checkpoints", crashAt(everyCheckpoint(1))));
  });

  it("of the daemon at any instant", async () => {
    expectWhole(await playRound("daemon", killDaemons(createRandom(seed), 10)));
  });

  it("of everything at once", async () => {
    expectWhole(await playRound("all at once", killAll(createRandom(seed + 3), 3)));
  });

  it("of supervisors", async () => {
    expectWhole(await playRound("supervisors", killSupervisors(createRandom(seed + 1), 3)));
  });

  it("of agents", async () => {
    expectWhole(await playRound("agents", killAgents(createRandom(seed + 2), 2)));
  });

  it.skipIf(!canMount())("while the disk is full", async () => {
    expectWhole(await playDiskRound(seed, 2));
  });
});
