import type { DecisionJson } from "../../../src/http/client/client.ts";
import { useApi } from "../api/queries.ts";
import { formatDuration } from "../ui/format.ts";
import { useNow } from "../ui/use-now.ts";

const VERBS: Readonly<Record<string, string>> = {
  approved: "approved this",
  rejected: "rejected this",
  revised: "asked for changes",
  answered: "answered this",
  assumed: "took the default answers at the deadline",
  chosen: "decided this",
  merged: "merged this",
  cancelled: "cancelled the task",
  killed: "ended the task",
  retried: "retried the task",
  continued: "asked for changes",
};

/** "bob answered this". */
export function describeDecision({ by, kind }: Pick<DecisionJson, "by" | "kind">): string {
  return `${by.kind === "system" ? "Nightshift" : by.name} ${VERBS[kind] ?? "decided this"}`;
}

/** The newest decision about a task, if there is one after `since`. */
export function useLastDecision(task: string, since: string | null): DecisionJson | null {
  const { data } = useApi("GET /decisions", { query: { task, limit: 1 } });
  const last = data?.decisions[0];
  return last === undefined || (since !== null && last.at < since) ? null : last;
}

/** "2 minutes ago", "just now". */
export function Ago({ at }: { at: string }) {
  const past = useNow() - Date.parse(at);
  return <>{past < 60_000 ? "just now" : `${formatDuration(past)} ago`}</>;
}
