import { parseArgs } from "node:util";
import { canMount } from "./disk.ts";
import { canCutPower } from "./power-cut/power-cut.ts";
import { longPlan, type PlannedRound } from "./plan.ts";
import type { Round } from "./rounds.ts";

const { values } = parseArgs({
  options: { seed: { type: "string", default: String(Date.now() % 1e9) }, rounds: { type: "string", default: "13" } },
});
const CONCURRENCY = 2;
const TIME_LIMIT_MS = 15 * 60_000;

/** Runs two rounds at a time, because much of a round is waiting. Starts no new round after the time limit. */
async function runAll(planned: readonly PlannedRound[]): Promise<readonly Round[]> {
  const start = performance.now();
  const rounds: Round[] = [];
  const queue = [...planned];
  const runNext = async (): Promise<void> => {
    for (let run = queue.shift(); run !== undefined && performance.now() - start < TIME_LIMIT_MS; run = queue.shift()) {
      const round = await run();
      rounds.push(round);
      console.log(formatRound(round));
      for (const violation of round.violations) console.log(`    ✗ ${violation}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runNext));
  return rounds;
}

function formatRound({ name: what, kills, tasks, ms, violations }: Round): string {
  const cells = [
    what.padEnd(36),
    String(kills).padStart(5),
    String(tasks).padStart(5),
    `${(ms / 1000).toFixed(1)} s`.padStart(8),
  ];
  return `${cells.join("  ")}  ${violations.length === 0 ? "ok" : `${violations.length} violations`}`;
}

console.log(
  `seed ${values.seed}: \`npm run chaos -- --seed ${values.seed} --rounds ${values.rounds}\` makes the same choices again\n`,
);
console.log(`${"killed".padEnd(36)}  kills  tasks      time`);
const plays = longPlan(Number(values.seed), Number(values.rounds));
const rounds = await runAll(plays);
const sum = (count: (round: Round) => number): number => rounds.reduce((total, round) => total + count(round), 0);
const violations = sum((round) => round.violations.length);
console.log(
  `\n${sum(({ kills }) => kills)} kills, ${sum(({ tasks }) => tasks)} tasks, ${violations} violations in ${rounds.length} of ${plays.length} rounds`,
);
if (!canCutPower()) console.log("The power rounds were skipped, because they need Linux and a C compiler (cc).");
if (!canMount())
  console.log("The disk rounds were skipped, because this user cannot mount a file system (unshare -Urm).");
process.exit(violations === 0 && rounds.length === plays.length ? 0 : 1);
