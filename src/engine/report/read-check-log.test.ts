import { expect, it } from "vitest";
import type { Event } from "../../core/task/event.ts";
import { newEvent } from "../../core/task/event.ts";
import { type CheckLogPorts, readCheckLog } from "./read-check-log.ts";

const started = (id: number, run: string, data: Event["data"]): Event => ({
  ...newEvent({ at: 1, task: "task_1", run, type: "check.started", summary: "", data }),
  id,
});

const EVENTS = [
  started(1, "run_1", { name: "test (related)", on: "change", log: "run_1/checks/test.related.log" }),
  started(2, "run_1", { name: "test", on: "base", log: "run_1-base/checks/test.log" }),
  started(3, "run_2", { name: "lint", on: "change", log: "run_2/checks/lint.log" }),
];

const PORTS = {
  store: { events: { listEvents: async ({ after }: { after: number }) => EVENTS.filter(({ id }) => id > after) } },
  runFiles: {
    readLog: async (job: string, file: string, _: number, before = 20) => ({
      text: `${job} ${file} hunter2`,
      start: before - 10,
      size: 20,
    }),
  },
  secrets: { redact: (text: string) => text.replace("hunter2", "***") },
} as unknown as CheckLogPorts; // only the parts that are used

const RUN = { id: "run_1", task: "task_1" };

it("the log of a check is found by its name and what it ran on, without secrets", async () => {
  const related = await readCheckLog(PORTS, RUN, { name: "test (related)", place: "change", before: undefined });
  expect(related).toEqual({ text: "run_1 checks/test.related.log ***", start: 10, size: 20 });
  const base = await readCheckLog(PORTS, RUN, { name: "test", place: "base", before: 17 });
  expect(base).toEqual({ text: "run_1-base checks/test.log ***", start: 7, size: 20 });
});

it("a check that did not run in this run has no log", async () => {
  expect(await readCheckLog(PORTS, RUN, { name: "lint", place: "change", before: undefined })).toBeNull();
  expect(await readCheckLog(PORTS, RUN, { name: "test", place: "change", before: undefined })).toBeNull();
});
