import { useApi } from "../../api/queries.ts";
import { formatMoney, formatTime } from "../../ui/format.ts";
import { ErrorBanner } from "../../ui/state.tsx";
import type { TaskForm } from "./form.ts";
import { splitList } from "./form.ts";
import { describeStep } from "./step-words.ts";
import type { TaskPreview } from "./use-preview.ts";

/** The steps, when it starts, and what it costs at most, before anything is spent. */
export function WillHappen({ form, preview }: { form: TaskForm; preview: TaskPreview }) {
  const { data, error, isPlaceholderData } = preview;
  return (
    <aside aria-label="What will happen" aria-busy={isPlaceholderData || undefined}>
      <h2 className="lab will-head">What will happen</h2>
      {form.project === "" && <p className="muted">Choose a project to see the steps.</p>}
      {error !== null && data === undefined && (
        <ErrorBanner title="The steps could not be read." error={error} retry={() => void preview.refetch()} />
      )}
      {data !== undefined && form.project !== "" && (
        <>
          {data.problems.length > 0 && (
            <div className="will-not">
              <b className="strong">It cannot be submitted yet:</b>
              <ul>
                {data.problems.map(({ key, message }) => (
                  <li key={`${key} ${message}`} dir="auto">
                    {message}
                  </li>
                ))}
              </ul>
            </div>
          )}
          <ol className="vpath">
            {data.steps
              .filter(({ kind }) => kind !== "end")
              .map((step) => (
                <li key={step.state} className={step.kind === "wait" ? "you" : undefined}>
                  <span dir="auto">{step.state}</span>
                  <small dir="auto">{describeStep(step, data.forge)}</small>
                </li>
              ))}
          </ol>
          <Facts form={form} preview={data} />
        </>
      )}
    </aside>
  );
}

function Facts({ form, preview }: { form: TaskForm; preview: NonNullable<TaskPreview["data"]> }) {
  return (
    <dl className="props will-facts">
      <dt className="faint">Starts</dt>
      <dd>{preview.is_held ? `after ${splitList(form.after).join(", ")}` : <Start preview={preview} />}</dd>
      <dt className="faint">At most</dt>
      <dd>{preview.max_usd === null ? "no limit for the task is set" : formatMoney(preview.max_usd)}</dd>
      <Money project={form.project} />
    </dl>
  );
}

/** An agent that waits for its quota or a login starts later. */
function Start({ preview: { steps } }: { preview: NonNullable<TaskPreview["data"]> }) {
  const parked = useApi("GET /status").data?.parked_agents ?? [];
  const [first] = steps.flatMap(({ agents }) => agents);
  const found = parked.find(({ agent }) => agent === first?.agent);
  if (found === undefined) return <>when a slot is free</>;
  return (
    <>
      when {found.agent} works again, next attempt {formatTime(found.until)}
    </>
  );
}

/** What is left of the budgets that count for the project. */
function Money({ project }: { project: string }) {
  const budgets = useApi("GET /budgets", { query: { project } }).data?.budgets ?? [];
  return budgets.map(({ window, project: of, limit_usd: limit, spent_usd: spent, reserved_usd: reserved, until }) => (
    <div className="will-money" key={`${window} ${of ?? ""}`}>
      <dt className="faint">{window === "night" ? "Tonight" : "Month"}</dt>
      <dd>
        {formatMoney(Math.max(0, limit - spent - reserved))} of {formatMoney(limit)} is free until {formatTime(until)}
        {of === null && ", for all projects"}
      </dd>
    </div>
  ));
}
