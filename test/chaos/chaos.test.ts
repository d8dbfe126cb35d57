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
  runDiskRound,
  runRound,
  type Round,
} from "./rounds.ts";

const seed = Date.now() % 1e9;
const TIMEOUT_MS = 180_000;

function expectNoViolations(round: Round): void {
  expect(round.violations, `seed ${seed}`).toEqual([]);
}

/** A short version of `npm run chaos`. Each test ends with a check of all invariants after a crash (inspect.ts). */
describe.skipIf(process.platform !== "linux").concurrent("crash safety", { timeout: TIMEOUT_MS }, () => {
  it("killing the daemon at each checkpoint loses no work", async () => {
    expectNoViolations(await runRound("checkpoints", crashAt(everyCheckpoint(1))));
  });

  it("killing the daemon at any time loses no work", async () => {
    expectNoViolations(await runRound("daemon", killDaemons(createRandom(seed), 10)));
  });

  it("killing all processes at once loses no work", async () => {
    expectNoViolations(await runRound("all at once", killAll(createRandom(seed + 3), 3)));
  });

  it("killing supervisors loses no work", async () => {
    expectNoViolations(await runRound("supervisors", killSupervisors(createRandom(seed + 1), 3)));
  });

  it("killing agents loses no work", async () => {
    expectNoViolations(await runRound("agents", killAgents(createRandom(seed + 2), 2)));
  });

  it.skipIf(!canMount())("a full disk loses no work", async () => {
    expectNoViolations(await runDiskRound(seed, 2));
  });
});
