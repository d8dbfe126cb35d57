import { useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { RunJson, TaskJson } from "../../../../../src/http/client/client.ts";
import { Empty } from "../../../ui/state.tsx";
import { RunRail } from "./run-rail.tsx";
import { RunTranscript } from "./run-transcript.tsx";

/** What the runs of a task printed, finished or live. */
export function Transcript({ task }: { task: TaskJson }) {
  const { run: wanted, line } = useSearch({ strict: false });
  const runs = task.runs.filter(({ started_at: started }) => started !== null);
  const run = useShownRun(runs, wanted);
  if (runs.length === 0)
    return (
      <Empty title="No run has started yet">
        When an agent starts, everything that it prints appears here as it happens.
      </Empty>
    );
  if (run === null)
    return (
      <Empty title="This task has no such run">
        No run of it starts with “<span dir="auto">{wanted}</span>”.
      </Empty>
    );
  return (
    <div className="runs-rail">
      <RunRail task={task} runs={runs} current={run} />
      <RunTranscript key={run.id} task={task} run={run} line={readOffset(line)} />
    </div>
  );
}

/** Without a wish, the run that was chosen first stays, so that a reader is not sent to the next run. */
function useShownRun(runs: readonly RunJson[], wanted: string | undefined): RunJson | null {
  const [shown, setShown] = useState<string | null>(null);
  const chosen = runs.find(({ id }) => id === shown) ?? chooseRun(runs);
  const id = chosen?.id ?? null;
  useEffect(() => setShown(id), [id]);
  return wanted === undefined ? chosen : findRun(runs, wanted);
}

/** What runs now, else the last thing that an agent did. */
function chooseRun(runs: readonly RunJson[]): RunJson | null {
  const running = runs.findLast(({ finished_at: finished }) => finished === null);
  return running ?? runs.findLast(({ step }) => step === "agent") ?? runs.at(-1) ?? null;
}

function findRun(runs: readonly RunJson[], wanted: string): RunJson | null {
  return (
    runs.find(({ id }) => id === wanted || id.replace(/^run_/, "").startsWith(wanted.replace(/^run_/, ""))) ?? null
  );
}

function readOffset(line: string | undefined): number | null {
  const offset = Number(line);
  return line !== undefined && Number.isSafeInteger(offset) && offset >= 0 ? offset : null;
}
