import { expect, it } from "vitest";
import type { RunJson } from "./contract/run.ts";
import type { HttpDeps } from "./deps.ts";
import { withProcess } from "./lookup.ts";

it("a run has the id of its process until it ends", () => {
  const runFiles = { findProcess: () => 4711 } as unknown as HttpDeps["runFiles"]; // nothing else is used
  const pidOf = (finishedAt: string | null) =>
    withProcess({ runFiles }, { id: "run_1", finished_at: finishedAt, pid: null } as RunJson).pid;
  expect([pidOf(null), pidOf("2026-11-18T00:00:00.000Z")]).toEqual([4711, null]);
});
