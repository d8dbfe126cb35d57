import { beforeEach, describe, expect, test } from "vitest";
import { openJobBench, printed, shell, type JobBench, type SupervisorSuite } from "./supervisor.suite.ts";

/** What `prepare` and `dismiss` promise: part of the port like all of supervisor.suite.ts. */
export function testPrepared(suite: SupervisorSuite): void {
  describe("supervisors that start before their jobs", () => {
    let bench: JobBench;
    beforeEach(() => {
      bench = openJobBench(suite);
    });

    test("one that was prepared runs the job when it comes, with its secrets, and nothing before", async () => {
      const job = bench.job([{ ...shell("echo $SECRET"), secretNames: ["SECRET"] }], {
        secrets: { SECRET: "a-b-c" },
      });
      bench.supervisors.prepare(job.dir);
      bench.supervisors.prepare(job.dir);
      expect([await bench.supervisors.wasStarted(job.dir), await bench.supervisors.isAlive(job.dir)]).toEqual([
        false,
        false,
      ]);
      await bench.run(job);
      expect(printed(job)).toEqual(["a-b-c"]);
    });

    test("one that was dismissed has done nothing, and the job may still come", async () => {
      const job = bench.job(["echo ran"]);
      bench.supervisors.dismiss(job.dir);
      bench.supervisors.prepare(job.dir);
      bench.supervisors.dismiss(job.dir);
      expect(await bench.supervisors.wasStarted(job.dir)).toBe(false);
      await bench.run(job);
      expect(printed(job)).toEqual(["ran"]);
    });
  });
}
