import { useId, useState } from "react";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { DONE, useAction } from "../../../api/actions.ts";
import { useApi } from "../../../api/queries.ts";
import { useDraft } from "../../../app/draft.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorBanner } from "../../../ui/state.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { EMPTY_RETRY, readRetry, type RetryForm } from "./read-retry.ts";
import { RetryFields } from "./retry-fields.tsx";

/** Starts the task again, from the state where it stopped or another one, with other limits if the person wants. */
export function RetryDialog({ task, onClose }: { task: TaskJson; onClose: () => void }) {
  const [form, setForm, forget] = useDraft<RetryForm>(`retry.${task.id}`, EMPTY_RETRY);
  const [isChecked, setChecked] = useState(false);
  const action = useAction("POST /tasks/:id/retry");
  const pipeline = useApi("GET /tasks/:id/pipeline", { params: { id: task.id } }).data;
  const agents = useApi("GET /agents").data?.agents ?? [];
  const hintId = useId();
  const { body, problems } = readRetry(form);

  async function send(): Promise<void> {
    setChecked(true);
    if (Object.keys(problems).length > 0) return;
    const reply = await action.run({ params: { id: task.id }, body });
    if (reply === null || reply === DONE) return;
    forget();
    onClose();
    showToast(`Retried “${task.title}”.`);
  }

  return (
    <Dialog
      title="Retry the task"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" isBusy={action.isBusy} onClick={() => void send()}>
            Retry the task
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Not now
          </Button>
        </>
      }
    >
      <p className="muted" id={hintId}>
        It continues with the work that it has. Limits that are empty stay as they are.
      </p>
      <RetryFields
        form={form}
        problems={isChecked ? problems : {}}
        states={(pipeline?.states ?? []).filter(({ kind }) => kind !== "end").map(({ name }) => name)}
        agents={agents.map(({ name }) => name)}
        onChange={(change) => setForm({ ...form, ...change })}
      />
      {action.error !== null && <ErrorBanner title="The task was not retried." error={action.error} />}
    </Dialog>
  );
}
