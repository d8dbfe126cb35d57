import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { CommandProgress, WatchOptions } from "../../../ports/supervisor.ts";
import { waitUntil } from "../../wait-until.ts";
import { NEVER, openJobBench, POLITE_MS, shell, type JobBench, type SupervisorSuite } from "./supervisor.suite.ts";

/** Contract of `onProgress`, part of supervisor.suite.ts. */
export function testProgress(suite: SupervisorSuite): void {
  describe("supervisors: progress", () => {
    let bench: JobBench;
    beforeEach(() => {
      bench = openJobBench(suite);
    });

    test("a watcher gets each start and end of a command as it happens, and a later one gets all of them", async () => {
      const job = bench.job([
        { ...shell("exit 3"), name: "one", ifFails: "continue" },
        { ...shell("until [ -e go ]; do sleep 0.01; done"), name: "two" },
      ]);
      await bench.supervisors.start(job);
      const seen: string[] = [];
      const watched = bench.supervisors.watch(job.dir, collectInto(seen));
      const untilTwo = ["one started", "one ended with 3", "two started"];
      await waitUntil(() => seen.length === untilTwo.length);
      expect(seen).toEqual(untilTwo);
      writeFileSync(join(bench.home, "go"), "");
      await watched;
      expect(seen).toEqual([...untilTwo, "two ended with 0"]);
      const later: string[] = [];
      await suite.create(bench.home, POLITE_MS).watch(job.dir, collectInto(later));
      expect(later).toEqual(seen);
    });
  });
}

function collectInto(seen: string[]): WatchOptions {
  const onProgress = ({ command, result }: CommandProgress): void =>
    void seen.push(`${command} ${result === null ? "started" : `ended with ${result.exit.code}`}`);
  return { signal: NEVER, onOutput: () => {}, onProgress };
}
