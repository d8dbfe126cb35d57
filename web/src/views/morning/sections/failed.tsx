import { Link } from "@tanstack/react-router";
import { useAction } from "../../../api/actions.ts";
import { useRefusal } from "../../../app/session.ts";
import type { ReportedTaskJson, ReportJson } from "../../../../../src/http/client/client.ts";
import { Button } from "../../../ui/button.tsx";
import { Command } from "../../../ui/command.tsx";
import { Section } from "../../../ui/section.tsx";
import { ErrorBanner } from "../../../ui/state.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { More } from "../more.tsx";
import { TaskRow } from "../task-row.tsx";
import { describeCost } from "./task-words.ts";

/** What failed, why, where the work is kept, and what to do next. */
export function FailedSection({ section: { total, tasks } }: { section: ReportJson["sections"]["failed"] }) {
  return (
    <Section anchor="failed" title="Failed" count={total}>
      {tasks.map((task) => (
        <FailedRow key={task.id} task={task} />
      ))}
      <More total={total} shown={tasks.length} search={{ status: "failed" }} />
    </Section>
  );
}

function FailedRow({ task }: { task: ReportedTaskJson }) {
  const retry = useAction("POST /tasks/:id/retry");
  const refusal = useRefusal("submit", "Retrying a task");
  const command = task.next.find((each) => each.startsWith("nightshift retry"));

  async function start(): Promise<void> {
    if ((await retry.run({ params: { id: task.id }, body: {} })) !== null) showToast(`Queued again: “${task.title}”.`);
  }

  return (
    <TaskRow
      task={task}
      glyph="failed"
      facts={[task.outcome?.replaceAll("_", " ") ?? null, describeCost(task)]}
      actions={
        <>
          <EvidenceLink task={task} />
          <Button
            size="small"
            isBusy={retry.isBusy}
            refusal={refusal}
            aria-label={`Retry “${task.title}”`}
            onClick={() => void start()}
          >
            Retry
          </Button>
        </>
      }
    >
      {task.reason !== null && (
        <p className="said long" dir="auto">
          {task.reason}
        </p>
      )}
      {task.change !== null && (
        <p className="said">
          The work is on the branch <code>{task.branch}</code>.
        </p>
      )}
      {command !== undefined && <Command text={command} />}
      {retry.error !== null && <ErrorBanner title="It was not retried." error={retry.error} />}
    </TaskRow>
  );
}

/** To the output that shows why it failed. */
function EvidenceLink({ task: { id, outcome } }: { task: ReportedTaskJson }) {
  const isAboutChecks = outcome === "checks_failed" || outcome === "policy_failed";
  return (
    <Link className="btn sm" to="/tasks/$id/$tab" params={{ id, tab: isAboutChecks ? "checks" : "transcript" }}>
      {isAboutChecks ? "Checks" : "Transcript"}
    </Link>
  );
}
