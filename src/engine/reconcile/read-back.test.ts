import { describe, expect, it } from "vitest";
import { ForgeError } from "../../core/text/errors.ts";
import type { Proposal } from "../../core/nightly/proposal.ts";
import type { ChangeRequestLook, Forge } from "../../ports/forge.ts";
import type { ListProposalsQuery } from "../../ports/store.ts";
import { makeProposal } from "../../testing/builders.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import type { EnginePorts } from "../ports.ts";
import { createOutages } from "./outages.ts";
import { createReadBack } from "./read-back.ts";

const URL = "https://forge.example/team/shop/-/merge_requests/7";

/** One published proposal, and a forge with scripted answers. */
function world(script: { look: () => Promise<Partial<ChangeRequestLook>>; listOpen?: () => Promise<never[]> }) {
  let proposal: Proposal = {
    ...makeProposal(),
    project: "shop",
    status: "published",
    number: 7,
    url: URL,
    updatedAt: 1_000,
  };
  const reported: string[] = [];
  const warnings: string[] = [];
  const calls = { look: 0 };
  const forge = {
    readState: async () => {
      calls.look += 1;
      return { number: 7, url: URL, state: "open", mergeCommit: null, ...(await script.look()) };
    },
    listOpen: script.listOpen ?? (async () => []),
  } as unknown as Forge;
  const clock = createFakeClock(2_000);
  const ports = {
    clock,
    log: { info: () => undefined, warn: () => void warnings.push("warning"), error: () => undefined },
    projects: { lastGood: async () => ({}) },
    forges: { open: () => forge },
    channels: { namesFor: () => [] },
    secrets: { redact: <T>(value: T): T => value },
    store: {
      projects: { listProjects: async () => [{ name: "shop" }] },
      ledger: {
        listProposals: async ({ statuses, isUnexplained }: ListProposalsQuery) =>
          statuses?.includes(proposal.status) === true && (isUnexplained !== true || proposal.askedAt === null)
            ? [proposal]
            : [],
        updateProposal: async (_: string, patch: Partial<Proposal>) => (proposal = { ...proposal, ...patch }),
      },
      tasks: { listTasks: async () => ({ rows: [], next: null }), getTask: async () => null },
      events: {
        appendEvents: async (events: readonly { type: string }[]) =>
          void reported.push(...events.map(({ type }) => type)),
        appendWithNotices: async ({ events }: { events: readonly { type: string }[] }) =>
          void reported.push(...events.map(({ type }) => type)),
      },
    },
  } as unknown as EnginePorts;
  const outages = createOutages(ports);
  return {
    readBack: createReadBack(ports, outages),
    outages,
    reported,
    warnings,
    calls,
    status: () => proposal.status,
    clock,
  };
}

const missing = async (): Promise<never> => {
  throw new ForgeError("missing", "404");
};

describe("reading back", () => {
  it("accepts a merge at once and a closing when seen twice, and asks for the reason once", async () => {
    const merged = world({ look: async () => ({ state: "merged", mergeCommit: "abc" }) });
    await merged.readBack();
    expect(merged.status()).toBe("merged");
    const closed = world({ look: async () => ({ state: "closed" }) });
    await closed.readBack();
    expect(closed.status()).toBe("published");
    await closed.readBack();
    await closed.readBack();
    expect(closed.status()).toBe("closed");
    expect(closed.reported).toEqual(["request.closed", "request.unexplained"]);
  });

  it("treats a reopened request as open", async () => {
    let state: "open" | "closed" = "closed";
    const { readBack, status, reported } = world({ look: async () => ({ state }) });
    await readBack();
    await readBack();
    expect(status()).toBe("closed");
    state = "open";
    await readBack();
    await readBack();
    expect(status()).toBe("published");
    expect(reported).toEqual(["request.closed", "request.unexplained", "request.reopened"]);
  });

  it("ignores another project's request with the same number", async () => {
    const url = "https://forge.example/other/thing/-/merge_requests/7";
    const { readBack, status, reported } = world({ look: async () => ({ state: "merged", url }) });
    await readBack();
    await readBack();
    expect([status(), reported]).toEqual(["published", []]);
  });

  it("treats a deleted request as closed, but not one that the token can no longer see", async () => {
    const deleted = world({ look: missing });
    await deleted.readBack();
    await deleted.readBack();
    expect(deleted.status()).toBe("closed");
    const hidden = world({ look: missing, listOpen: missing });
    await hidden.readBack();
    await hidden.readBack();
    expect(hidden.status()).toBe("published");
  });

  it("when triggered, accepts a merge, but leaves a closing to a regular read-back a minute later", async () => {
    const triggered = new Set(["shop"]);
    const merged = world({ look: async () => ({ state: "merged", mergeCommit: "abc" }) });
    await merged.readBack({ triggered: new Set(["blog"]) });
    expect([merged.status(), merged.calls.look]).toEqual(["published", 0]);
    await merged.readBack({ triggered });
    expect(merged.status()).toBe("merged");
    const closed = world({ look: async () => ({ state: "closed" }) });
    for (let call = 0; call < 5; call++) await closed.readBack({ triggered });
    await closed.readBack();
    expect(closed.status()).toBe("published");
    await closed.readBack({ triggered });
    expect(closed.status()).toBe("published");
    await closed.readBack();
    expect(closed.status()).toBe("closed");
    const confirmed = world({ look: async () => ({ state: "closed" }) });
    await confirmed.readBack({ triggered });
    await confirmed.clock.advance(60_000);
    await confirmed.readBack();
    expect(confirmed.status()).toBe("closed");
  });

  it("reports a change once if read-backs run concurrently", async () => {
    const { readBack, reported } = world({ look: async () => ({ state: "merged", mergeCommit: "abc" }) });
    await Promise.all([readBack(), readBack({ triggered: new Set(["shop"]) }), readBack()]);
    expect(reported).toEqual(["request.merged"]);
  });

  it("does not call a rate-limited forge before its retry time", async () => {
    const { readBack, calls, clock } = world({
      look: async () => {
        throw new ForgeError("rate_limit", "slow down", { retryAt: 5_000 });
      },
    });
    await readBack();
    await readBack();
    expect(calls.look).toBe(1);
    await clock.advance(3_000);
    await readBack();
    expect(calls.look).toBe(2);
  });

  it("reports a forge that is down once, tries less and less often, and continues by itself", async () => {
    let isDown = true;
    const { readBack, calls, clock, warnings, status, outages } = world({
      look: async () => {
        if (isDown) throw new ForgeError("unreachable", "refused the connection");
        return { state: "merged", mergeCommit: "abc" };
      },
    });
    await readBack();
    for (const minutes of [1, 2, 4]) {
      const before = calls.look;
      await clock.advance(minutes * 60_000 - 1);
      await readBack();
      expect(calls.look).toBe(before);
      await clock.advance(1);
      await readBack();
      expect(calls.look).toBe(before + 1);
    }
    expect(warnings).toHaveLength(1);
    expect(outages.list()).toEqual([
      { project: "shop", reason: "refused the connection", since: 2_000, until: 2_000 + 15 * 60_000 },
    ]);
    isDown = false;
    await clock.advance(8 * 60_000);
    await readBack();
    expect(status()).toBe("merged");
    expect(outages.list()).toEqual([]);
  });

  it("keeps an outage until the forge has answered, also if there is nothing to ask it", async () => {
    const { readBack, clock, outages } = world({
      look: async () => {
        throw new ForgeError("unreachable", "refused the connection");
      },
    });
    await readBack();
    await clock.advance(60_000);
    // Proposals are left out, so the forge is not asked.
    await readBack({ onlyTasks: true });
    expect(outages.list()).toHaveLength(1);
  });
});
