import { OPEN_RUN_STATUSES } from "../../../../core/task/run.ts";
import { listParked } from "./parked-agents.ts";
import type { Tx } from "../schema.ts";

interface Candidate {
  readonly id: string;
  readonly account: string | null;
}

/** Which runs of parked agents may start: one probe per account, when its time has come. */
export interface Probes {
  /** Accounts of which no run may start. */
  blocked(): readonly string[];
  mayStart(run: Candidate): boolean;
  /** Records an admitted run. If its agent is parked, the run is the probe. Returns true. */
  start(run: Candidate): boolean;
  save(): Promise<void>;
}

export async function loadProbes(tx: Tx, at: number): Promise<Probes> {
  const parked = await listParked(tx);
  const probing = await findOpenProbes(
    tx,
    parked.flatMap(({ probe }) => probe ?? []),
  );
  const started = new Map<string, string>();
  const due = new Set(
    parked
      // Ignore a time that was set while the clock was ahead: it may be years away.
      .filter(({ until, since, probe }) => (until <= at || since > at) && (probe === null || !probing.has(probe)))
      .map(({ account }) => account),
  );
  const isBlocked = (account: string): boolean => !due.has(account) || started.has(account);
  const accounts = new Set(parked.map(({ account }) => account));
  return {
    blocked: () => [...accounts].filter(isBlocked),
    mayStart: ({ account }) => account === null || !accounts.has(account) || !isBlocked(account),
    start({ id, account }) {
      if (account !== null && accounts.has(account)) started.set(account, id);
      return true;
    },
    async save() {
      for (const [account, probe] of started)
        await tx.updateTable("parked_agents").set({ probe }).where("account", "=", account).execute();
    },
  };
}

async function findOpenProbes(tx: Tx, probes: readonly string[]): Promise<ReadonlySet<string>> {
  if (probes.length === 0) return new Set();
  const rows = await tx
    .selectFrom("runs")
    .select("id")
    .where("id", "in", probes)
    .where("status", "in", OPEN_RUN_STATUSES)
    .execute();
  return new Set(rows.map(({ id }) => id));
}
