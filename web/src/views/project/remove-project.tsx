import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { ProjectJson } from "../../../../src/http/client/client.ts";
import { useAction } from "../../api/actions.ts";
import { useRefusal } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Section } from "../../ui/section.tsx";
import { ErrorBanner } from "../../ui/state.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";

export function RemoveProject({ project }: { project: ProjectJson }) {
  const [isAsking, setAsking] = useState(false);
  const [withTasks, setWithTasks] = useState(false);
  const remove = useAction("DELETE /projects/:name");
  const refusal = useRefusal("admin", "Removing a project");
  const navigate = useNavigate();
  const run = async (): Promise<void> => {
    const query = withTasks ? { with_tasks: "true" } : {};
    if ((await remove.run({ params: { name: project.name }, query })) === null) return;
    showToast(`Removed ${project.name}.`);
    void navigate({ to: "/" });
  };
  return (
    <Section title="Registration">
      <p className="muted">
        Accepted by <span dir="auto">{project.accepted_by}</span>, <Time at={project.accepted_at} />.
      </p>
      <p className="try-now">
        <Button kind="danger" size="small" refusal={refusal} onClick={() => setAsking(true)}>
          Remove the project…
        </Button>
      </p>
      {isAsking && (
        <ConfirmDialog
          title={`Remove ${project.name}?`}
          action="Remove"
          isBusy={remove.isBusy}
          onConfirm={() => void run()}
          onClose={() => {
            setAsking(false);
            remove.reset();
          }}
        >
          <p>
            Its schedules end, and its rules and ledger are no longer used. The repository, its branches and its change
            requests are kept. A project with unfinished tasks is not removed.
          </p>
          <label className="flex">
            <input type="checkbox" checked={withTasks} onChange={({ target }) => setWithTasks(target.checked)} />
            Also delete its ended tasks
          </label>
          {remove.error !== null && <ErrorBanner title="It was not removed." error={remove.error} />}
        </ConfirmDialog>
      )}
    </Section>
  );
}
