import { beforeEach, describe, expect, test } from "vitest";
import { openJobBench, printed, shell, type JobBench, type SupervisorSuite } from "./supervisor.suite.ts";

/** Contract of `prepare` and `dismiss`, part of supervisor.suite.ts. */
export function testPrepared(suite: SupervisorSuite): void {
  describe("supervisors: prepare and dismiss", () => {
    let bench: JobBench;
    beforeEach(() => {
      bench = openJobBench(suite);
    });

    test("a prepared supervisor runs the job when it comes, with its secrets, and nothing before", async () => {
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

    test("a dismissed supervisor has done nothing, and the job may still come", async () => {
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
