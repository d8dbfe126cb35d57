import { CHECKPOINTS, type Checkpoint } from "../../src/ports/checkpoint.ts";
import { DAMAGE_NAMES, runDamageRound } from "./damage/damage-round.ts";
import { canMount } from "./disk.ts";
import { canCutPower } from "./power-cut/power-cut.ts";
import { createRandom, type Random } from "./random.ts";
import {
  crashAt,
  cutPowerAt,
  killAgents,
  killAll,
  killDaemons,
  killSupervisors,
  runDiskRound,
  runRound,
  type Crash,
  type Round,
} from "./rounds.ts";

export type PlannedRound = () => Promise<Round>;

/**
 * Ordered so that the first task crashes at `run.taken` and then at every later point, including the end of its first
 * run, which leaves more behind than any later one. No task passes `submit.committed`.
 */
export function everyCheckpoint(pass: number): readonly Crash[] {
  const last: readonly Checkpoint[] = [
    "checks.started",
    "checks.ended",
    "branch.pushed",
    "cleanup.done",
    "notice.sent",
    "submit.committed",
  ];
  const early = CHECKPOINTS.filter((point) => !last.includes(point) && !WITH_FORGE.includes(point));
  return [...early, ...last].map((point) => ({ point, pass }));
}

/** There is no forge, no merge and no person here. test/e2e/comments.test.ts, test/nights/improve/publish.test.ts, improve-killed.test.ts and merge.test.ts cover these checkpoints. */
const WITH_FORGE: readonly Checkpoint[] = ["request.opened", "change.merged", "comments.committed"];

/** The states with the most files: while an agent works, before and after its work is stored, and after checks. */
const DAMAGED_STATES: readonly Checkpoint[] = [
  "supervisor.started",
  "work.collected",
  "review.posted",
  "step.committed",
  "checks.ended",
];

/** More than two hundred kills, most of them in `daemonRounds` rounds of ten each. */
export function longPlan(seed: number, daemonRounds: number): readonly PlannedRound[] {
  const seeds = createRandom(seed);
  // Each round has its own random source, so that concurrent rounds do not affect each other.
  const times = (count: number, run: (random: Random) => Promise<Round>): readonly PlannedRound[] =>
    Array.from({ length: count }, () => {
      const random = createRandom(seeds.between(1, 1e9));
      return () => run(random);
    });
  return [
    ...[1, 2, 3].map((pass) => () => runRound(`daemon, each checkpoint, pass ${pass}`, crashAt(everyCheckpoint(pass)))),
    ...times(daemonRounds, (random) => runRound("daemon, any instant", killDaemons(random, 10))),
    ...times(2, (random) => runRound("all at once", killAll(random, 8))),
    ...times(3, (random) => runRound("supervisors", killSupervisors(random, 8))),
    ...times(2, (random) => runRound("agents", killAgents(random, 6))),
    ...(canCutPower()
      ? [0, 50, 80].map((survivingPercent, index) => {
          const random = createRandom(seeds.between(1, 1e9));
          const harm = cutPowerAt(everyCheckpoint(index + 1), { survivingPercent, random });
          return () => runRound(`power, ${survivingPercent} % of writes survive`, harm, { withPowerCut: true });
        })
      : []),
    ...DAMAGED_STATES.map((point) => {
      const random = createRandom(seeds.between(1, 1e9));
      return () => runDamageRound({ crash: { point, pass: 1 }, choose: () => random.pick(DAMAGE_NAMES) });
    }),
    ...(canMount() ? times(2, (random) => runDiskRound(random.between(1, 1e9), 4)) : []),
  ];
}
