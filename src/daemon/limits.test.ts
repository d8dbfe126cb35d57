import { describe, expect, it } from "vitest";
import type { EventDraft } from "../core/event.ts";
import { createSystemClock } from "../adapters/clock/system.ts";
import { createLimits } from "./limits.ts";

function open(free: () => number, settings: () => unknown = () => ({ limits: { concurrentRuns: 1 } })) {
  const events: EventDraft[] = [];
  const limits = createLimits({
    total: 4,
    diskFloorBytes: 100_000_000,
    // Only what is asked for here: the port's own suite covers the rest.
    store: {
      listProjects: async () => [
        {
          name: "shop",
          path: null,
          remote: "r",
          defaultBranch: "main",
          accepted: "{}",
          acceptedBy: "a",
          acceptedAt: 0,
        },
      ],
      appendEvents: async (drafts) => {
        events.push(...drafts);
        return [];
      },
    },
    projects: { settings: async () => settings() as never },
    runFiles: { freeBytes: async () => free() },
    clock: createSystemClock(),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  return { limits, events };
}

describe("limits", () => {
  it("start nothing below the disk floor, and say so once", async () => {
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

  it("keep the last good value of a project whose files cannot be read", async () => {
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
