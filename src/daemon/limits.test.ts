import { describe, expect, it } from "vitest";
import type { EventDraft } from "../core/task/event.ts";
import { createSystemClock } from "../adapters/clock/system.ts";
import { createLimits } from "./limits.ts";

const LIMITED = (): unknown => ({ limits: { concurrentRuns: 1 } });

function open(free: () => number, settings: () => unknown = LIMITED, project = "shop") {
  let keys: readonly string[] = [];
  const events: EventDraft[] = [];
  const limits = createLimits({
    total: 4,
    diskFloorBytes: 100_000_000,
    // Only what these tests use; the port's own suite covers the rest.
    store: {
      projects: {
        listProjects: async () => [
          {
            name: project,
            path: null,
            remote: "r",
            defaultBranch: "main",
            accepted: "{}",
            acceptedBy: "a",
            acceptedAt: 0,
          },
        ],
      },
      events: {
        appendEvents: async (drafts) => {
          events.push(...drafts);
          return [];
        },
      },
    },
    projects: { settings: async () => settings() as never },
    pendingTrust: async () => ({ changes: keys.map((key) => ({ key })) }),
    runFiles: { freeBytes: async () => free() },
    clock: createSystemClock(),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  return { limits, events, requestPermissions: (...requested: readonly string[]) => void (keys = requested) };
}

describe("limits", () => {
  it("do not confuse a project named disk with the disk", async () => {
    const { limits } = open(() => 50_000_000, undefined, "disk");
    await limits.refresh();
    expect(limits.current().total).toBe(0);
  });

  it("start no run below the disk floor, and report it once", async () => {
    let free = 50_000_000;
    const { limits, events } = open(() => free);
    await limits.refresh();
    await limits.refresh();
    expect(limits.current().total).toBe(0);
    expect(limits.problems()).toEqual([expect.stringContaining("only 50 MB are free")]);
    expect(events).toHaveLength(1);
    free = 500_000_000;
    await limits.refresh();
    expect(limits.current()).toMatchObject({ total: 4, projects: { shop: 1 } });
    expect(limits.problems()).toEqual([]);
    expect(events).toHaveLength(2);
  });

  it("report once that a project's files request permissions that are not accepted", async () => {
    const { limits, events, requestPermissions } = open(() => 1e12);
    requestPermissions("sandbox.network");
    await limits.refresh();
    await limits.refresh();
    expect(limits.problems()).toEqual([expect.stringContaining("sandbox.network")]);
    expect(events.map(({ type }) => type)).toEqual(["project.untrusted_change"]);
    requestPermissions();
    await limits.refresh();
    expect(limits.problems()).toEqual([]);
  });

  it("keep the last valid limit of a project whose files cannot be read", async () => {
    let broken = false;
    const { limits } = open(
      () => 1e12,
      () => {
        if (broken) throw new Error("line 3 is wrong");
        return { limits: { concurrentRuns: 3 } };
      },
    );
    await limits.refresh();
    broken = true;
    await limits.refresh();
    expect(limits.current().projects).toEqual({ shop: 3 });
    expect(limits.problems()).toEqual([expect.stringContaining("line 3 is wrong")]);
  });
});
