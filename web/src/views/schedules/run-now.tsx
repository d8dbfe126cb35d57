import { useNavigate } from "@tanstack/react-router";
import { DONE, useAction } from "../../api/actions.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorBanner } from "../../ui/state.tsx";
import { showToast } from "../../ui/toast.tsx";
import { ImprovePreview } from "./improve-preview.tsx";

export interface RunNowProps {
  /** `categories` is null for schedules other than the nightly improvement. */
  readonly schedule: {
    readonly name: string;
    readonly project: string;
    readonly pipeline: string;
    readonly title: string;
    readonly categories: readonly string[] | null;
  };
  readonly onClose: () => void;
}

/** Says what would happen before anything is spent. */
export function RunNow({ schedule: { name, project, pipeline, title, categories }, onClose }: RunNowProps) {
  const start = useAction("POST /schedules/:name/run");
  const navigate = useNavigate();
  const run = async (): Promise<void> => {
    const task = await start.run({ params: { name }, body: { project } });
    if (task === null || task === DONE) return;
    onClose();
    showToast(`Started ${name} of ${project}.`);
    void navigate({ to: "/tasks/$id", params: { id: task.id } });
  };
  return (
    <Dialog
      title={`Run ${name} of ${project} now?`}
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" isBusy={start.isBusy} onClick={() => void run()}>
            Run now
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      {start.error !== null && <ErrorBanner title="It was not started." error={start.error} />}
      {categories === null ? (
        <p dir="auto">
          Starts the task “{title}” with the pipeline {pipeline}.
        </p>
      ) : (
        <ImprovePreview project={project} />
      )}
      <p className="hint">The next scheduled time does not change.</p>
    </Dialog>
  );
}
