import { useAction } from "../../../api/actions.ts";
import { useRefusal } from "../../../app/session.ts";
import type { ReportedTaskJson } from "../../../../../src/http/client/client.ts";
import { Button } from "../../../ui/button.tsx";
import { showToast } from "../../../ui/toast.tsx";

/** Suspends the processes of a task. It continues where it was. */
export function PauseButton({ task }: { task: ReportedTaskJson }) {
  const pause = useAction("POST /tasks/:id/pause");
  const refusal = useRefusal("submit", "Pausing a task");

  async function start(): Promise<void> {
    if ((await pause.run({ params: { id: task.id } })) !== null) showToast(`Paused “${task.title}”.`);
  }

  return (
    <>
      <Button
        kind="quiet"
        size="small"
        isBusy={pause.isBusy}
        refusal={refusal}
        aria-label={`Pause “${task.title}”`}
        onClick={() => void start()}
      >
        Pause
      </Button>
      <Problem error={pause.error} />
    </>
  );
}

export function ResumeButton({ task }: { task: ReportedTaskJson }) {
  const resume = useAction("POST /tasks/:id/resume");
  const refusal = useRefusal("submit", "Resuming a task");

  async function start(): Promise<void> {
    if ((await resume.run({ params: { id: task.id } })) !== null) showToast(`Resumed “${task.title}”.`);
  }

  return (
    <>
      <Button
        size="small"
        isBusy={resume.isBusy}
        refusal={refusal}
        aria-label={`Resume “${task.title}”`}
        onClick={() => void start()}
      >
        Resume
      </Button>
      <Problem error={resume.error} />
    </>
  );
}

/** The task may have ended or been paused by someone else meanwhile. */
function Problem({ error }: { error: Error | null }) {
  if (error === null) return null;
  return (
    <span className="c-red" role="alert" dir="auto">
      {error.message}
    </span>
  );
}
