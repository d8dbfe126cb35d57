import { describe, expect, it } from "vitest";
import { ForgeError } from "../../core/text/errors.ts";
import type { Proposal } from "../../core/nightly/proposal.ts";
import type { ChangeRequestLook, Forge } from "../../ports/forge.ts";
import { makeProposal } from "../../testing/builders.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import type { EnginePorts } from "../ports.ts";
import { createReadBack } from "./read-back.ts";

const URL = "https://forge.example/team/shop/-/merge_requests/7";

/** One published proposal and a forge that answers as told; only what is read back is kept. */
function world(given: { look: () => Promise<Partial<ChangeRequestLook>>; listOpen?: () => Promise<never[]> }) {
  let proposal: Proposal = {
    ...makeProposal(),
    project: "shop",
    status: "published",
    number: 7,
    url: URL,
    updatedAt: 1_000,
  };
  const told: string[] = [];
  const asked = { look: 0 };
  const forge = {
    look: async () => {
      asked.look += 1;
      return { number: 7, url: URL, state: "open", mergeCommit: null, ...(await given.look()) };
    },
    listOpen: given.listOpen ?? (async () => []),
  } as unknown as Forge;
  const clock = createFakeClock(2_000);
  const ports = {
    clock,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    projects: { lastGood: async () => ({}) },
    forges: { open: () => forge },
    channels: { namesFor: () => [] },
    secrets: { redact: <T>(value: T): T => value },
    store: {
      projects: { listProjects: async () => [{ name: "shop" }] },
      ledger: {
        listProposals: async ({ statuses }: { statuses: readonly string[] }) =>
          statuses.includes(proposal.status) ? [proposal] : [],
        updateProposal: async (_: string, patch: Partial<Proposal>) => (proposal = { ...proposal, ...patch }),
      },
      tasks: { listTasks: async () => ({ rows: [], next: null }), getTask: async () => null },
      events: {
        appendEvents: async (events: readonly { type: string }[]) => void told.push(...events.map(({ type }) => type)),
        tell: async ({ events }: { events: readonly { type: string }[] }) =>
          void told.push(...events.map(({ type }) => type)),
      },
    },
  } as unknown as EnginePorts;
  return { readBack: createReadBack(ports), told, asked, status: () => proposal.status, clock };
}

const missing = async (): Promise<never> => {
  throw new ForgeError("missing", "404");
};

describe("reading back", () => {
  it("believes a merge at once and a closing at the second look, and asks why once", async () => {
    const merged = world({ look: async () => ({ state: "merged", mergeCommit: "abc" }) });
    await merged.readBack();
    expect(merged.status()).toBe("merged");
    const closed = world({ look: async () => ({ state: "closed" }) });
    await closed.readBack();
    expect(closed.status()).toBe("published");
    await closed.readBack();
    await closed.readBack();
    expect(closed.status()).toBe("closed");
    expect(closed.told).toEqual(["request.closed", "request.unexplained"]);
  });

  it("takes one that was opened again for open", async () => {
    let state: "open" | "closed" = "closed";
    const { readBack, status } = world({ look: async () => ({ state }) });
    await readBack();
    await readBack();
    expect(status()).toBe("closed");
    state = "open";
    await readBack();
    expect(status()).toBe("published");
  });

  it("lets another project's request of the same number alone", async () => {
    const url = "https://forge.example/other/thing/-/merge_requests/7";
    const { readBack, status, told } = world({ look: async () => ({ state: "merged", url }) });
    await readBack();
    await readBack();
    expect([status(), told]).toEqual(["published", []]);
  });

  it("takes for closed what is gone, but not what it may no longer see", async () => {
    const gone = world({ look: missing });
    await gone.readBack();
    await gone.readBack();
    expect(gone.status()).toBe("closed");
    const hidden = world({ look: missing, listOpen: missing });
    await hidden.readBack();
    await hidden.readBack();
    expect(hidden.status()).toBe("published");
  });

  it("out of turn believes a merge, but leaves a closing to a look in turn, a minute later", async () => {
    const told = new Set(["shop"]);
    const merged = world({ look: async () => ({ state: "merged", mergeCommit: "abc" }) });
    await merged.readBack(new Set(["blog"]));
    expect([merged.status(), merged.asked.look]).toEqual(["published", 0]);
    await merged.readBack(told);
    expect(merged.status()).toBe("merged");
    const closed = world({ look: async () => ({ state: "closed" }) });
    for (let call = 0; call < 5; call++) await closed.readBack(told);
    await closed.readBack();
    expect(closed.status()).toBe("published");
    await closed.readBack(told);
    expect(closed.status()).toBe("published");
    await closed.readBack();
    expect(closed.status()).toBe("closed");
    const noted = world({ look: async () => ({ state: "closed" }) });
    await noted.readBack(told);
    await noted.clock.advance(60_000);
    await noted.readBack();
    expect(noted.status()).toBe("closed");
  });

  it("tells once of what two looks at the same time would find", async () => {
    const { readBack, told } = world({ look: async () => ({ state: "merged", mergeCommit: "abc" }) });
    await Promise.all([readBack(), readBack(new Set(["shop"])), readBack()]);
    expect(told).toEqual(["request.merged"]);
  });

  it("leaves a forge alone that wants to be left alone", async () => {
    const { readBack, asked, clock } = world({
      look: async () => {
        throw new ForgeError("rate_limit", "slow down", { retryAt: 5_000 });
      },
    });
    await readBack();
    await readBack();
    expect(asked.look).toBe(1);
    await clock.advance(3_000);
    await readBack();
    expect(asked.look).toBe(2);
  });
});
