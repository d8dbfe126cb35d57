import type { EventJson } from "../../../src/http/client/client.ts";

export function sampleEvent(id: number): EventJson {
  return {
    id,
    at: "2026-11-15T22:00:00.000Z",
    task: "task_k1v9abcd",
    run: null,
    type: "run.note",
    level: "info",
    actor: { kind: "system", name: "engine" },
    summary: "something",
    data: {},
  };
}
