import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { CheckPlace } from "../../../../../src/core/task/running-check.ts";
import { ProblemError, type CheckJson, type TaskJson } from "../../../../../src/http/client/client.ts";
import { useApi } from "../../../api/queries.ts";
import { formatDuration } from "../../../ui/format.ts";
import { Glyph } from "../../../ui/glyph.tsx";
import { ErrorBanner, Skeleton } from "../../../ui/state.tsx";
import { describeCell, glyphOf, isBuiltIn } from "./check-words.ts";
import { LogText } from "./log-text.tsx";

interface CheckLogProps {
  readonly task: TaskJson;
  readonly check: CheckJson;
  /** The run with its output on the base commit. Null if there is none. */
  readonly baseRun: string | null;
}

/** What a check printed, opened at the first error. */
export function CheckLog({ task, check, baseRun }: CheckLogProps) {
  const [place, setPlace] = useState<CheckPlace>("change");
  const { run, check: named } = useSearch({ strict: false });
  const { name } = check;
  // The engine's own checks print nothing. Their findings are in the task.
  const printed = !isBuiltIn(name);
  const logRun = place === "base" ? (baseRun ?? check.run) : check.run;
  const query = useApi(
    "GET /runs/:id/checks/:name/log",
    { params: { id: logRun, name }, query: { on: place } },
    { live: false, enabled: printed },
  );
  const isGone = query.error instanceof ProblemError && query.error.status === 404;
  const text = query.data?.text ?? (printed && !isGone ? null : place === "change" ? check.tail : "");
  return (
    <section className="log" aria-label={`Output of ${name}`}>
      <header>
        <Glyph name={glyphOf(check)} />
        <h2 className="strong" dir="auto">
          {name}
        </h2>
        <span className="muted">
          {describeCell(check)}
          {check.status !== "passed" && check.exit_code !== null && `, ${formatDuration(check.duration_ms)}`}
        </span>
        {baseRun !== null && check.status !== "passed" && <PlaceSwitch place={place} onChange={setPlace} />}
      </header>
      {query.error !== null && !isGone && (
        <ErrorBanner title="The output could not be read." error={query.error} retry={() => void query.refetch()} />
      )}
      {text === null && query.error === null && <Skeleton />}
      {text !== null && (
        <LogText
          key={place}
          label={`${name}, output`}
          text={text}
          start={query.data?.start ?? 0}
          source={{ task: task.id, run: check.run, logRun, name, place }}
          isPart={printed && isGone}
          isAsked={run !== undefined && named !== undefined}
          hasFailed={check.status !== "passed"}
        />
      )}
    </section>
  );
}

function PlaceSwitch({ place, onChange }: { place: CheckPlace; onChange: (place: CheckPlace) => void }) {
  return (
    <span className="seg" role="group" aria-label="What the check ran on">
      <button type="button" aria-pressed={place === "change"} onClick={() => onChange("change")}>
        On the change
      </button>
      <button type="button" aria-pressed={place === "base"} onClick={() => onChange("base")}>
        On the base commit
      </button>
    </span>
  );
}
