import { expect, test } from "vitest";
import { everyCheckpoint } from "../plan.ts";
import { createRandom } from "../random.ts";
import { cutPowerAt, runRound } from "../rounds.ts";
import { canCutPower } from "./power-cut.ts";

const seed = Date.now() % 1e9;

if (!canCutPower()) console.log("The power is not cut: that needs Linux and a C compiler (cc).");

/** A short version of the rounds in `npm run chaos`. */
test.skipIf(!canCutPower()).concurrent.each([
  { survivingPercent: 0, pass: 1 },
  { survivingPercent: 50, pass: 2 },
])(
  "power cut: no acknowledged work is lost if $survivingPercent % of the unflushed files survive",
  { timeout: 300_000 },
  async ({ survivingPercent, pass }) => {
    const harm = cutPowerAt(everyCheckpoint(pass), { survivingPercent, random: createRandom(seed) });
    const { violations } = await runRound("power cut", harm, { withPowerCut: true });
    expect(violations, `seed ${seed}`).toEqual([]);
  },
);
