// `node disk-round.ts <directory> <seed> <fillings>`: started by runDiskRound in a mount namespace. Prints the round as JSON.
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { mountSmallDisk } from "./disk.ts";
import { createRandom } from "./random.ts";
import { runRound } from "./rounds.ts";

const [, , dir = "", seed = "1", fillings = "1"] = process.argv;
const random = createRandom(Number(seed));
const disk = mountSmallDisk(join(dir, "home"));
const round = await runRound(
  "disk full",
  async (night) => {
    let kills = 0;
    for (let remaining = Number(fillings); remaining > 0; remaining--) {
      for (const kind of ["quick", "slow"] as const) await night.submit(kind);
      await sleep(random.between(0, 1500));
      disk.fill();
      // A submission is either refused or accepted and kept. It is never accepted and lost.
      const submitting = night.submit("quick");
      await sleep(random.between(500, 2000));
      if (remaining % 2 === 0) {
        await night.killDaemon();
        kills++;
      }
      disk.free();
      await submitting;
    }
    return kills;
  },
  { dir },
);
process.stdout.write(JSON.stringify(round));
process.exit();
