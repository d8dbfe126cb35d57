import { CHECKPOINTS, type Checkpoint } from "../../src/ports/checkpoint.ts";
import { canMount } from "./disk.ts";
import { createRandom, type Random } from "./random.ts";
import {
  crashAt,
  killAgents,
  killAll,
  killDaemons,
  killSupervisors,
  playDiskRound,
  playRound,
  type Crash,
  type Round,
} from "./rounds.ts";

export type Play = () => Promise<Round>;

/**
 * In such an order that the first task dies at `run.taken` and then at every point of its way, the end of its first
 * run included: that one leaves more behind than any later. `submit.committed` is on nobody's way.
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

/** Nobody here has a forge: test/e2e/improve-publish.test.ts and improve-killed.test.ts die there. */
const WITH_FORGE: readonly Checkpoint[] = ["request.opened"];

/** More than two hundred kills; `daemonRounds` of ten each make the most of them. */
export function longPlan(seed: number, daemonRounds: number): readonly Play[] {
  const seeds = createRandom(seed);
  // Each round has chance of its own: rounds played side by side do not change each other's choices.
  const times = (count: number, play: (random: Random) => Promise<Round>): readonly Play[] =>
    Array.from({ length: count }, () => {
      const random = createRandom(seeds.between(1, 1e9));
      return () => play(random);
    });
  return [
    ...[1, 2, 3].map(
      (pass) => () => playRound(`daemon, each checkpoint, pass ${pass}`, crashAt(everyCheckpoint(pass))),
    ),
    ...times(daemonRounds, (random) => playRound("daemon, any instant", killDaemons(random, 10))),
    ...times(2, (random) => playRound("all at once", killAll(random, 8))),
    ...times(3, (random) => playRound("supervisors", killSupervisors(random, 8))),
    ...times(2, (random) => playRound("agents", killAgents(random, 6))),
    ...(canMount() ? times(2, (random) => playDiskRound(random.between(1, 1e9), 4)) : []),
  ];
}
