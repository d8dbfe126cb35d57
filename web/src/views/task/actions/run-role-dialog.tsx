import { useState } from "react";
import { SINGLE_ROLES, type SingleRole } from "../../../../../src/core/task/role.ts";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { DONE, useAction } from "../../../api/actions.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { ErrorBanner } from "../../../ui/state.tsx";
import { showToast } from "../../../ui/toast.tsx";

const WORDS: Readonly<Record<SingleRole, readonly [title: string, effect: string]>> = {
  review: ["Review", "Reads the change and reports a verdict with comments."],
  plan: ["Plan", "Writes a new version of the plan."],
  design: ["Design", "Writes a new version of the design."],
  investigate: ["Investigate", "Looks for the cause and writes a report."],
};

/** One more run of a role that reads and reports. The task stays where it is. */
export function RunRoleDialog({ task, onClose }: { task: TaskJson; onClose: () => void }) {
  const [role, setRole] = useState<SingleRole>("review");
  const action = useAction("POST /tasks/:id/run");

  async function send(): Promise<void> {
    const reply = await action.run({ params: { id: task.id }, body: { role } });
    if (reply === null || reply === DONE) return;
    onClose();
    showToast(`${WORDS[role][0]} starts. The task stays where it is.`);
  }

  return (
    <Dialog
      title="Run a role"
      onClose={onClose}
      actions={
        <>
          <Button kind="primary" isBusy={action.isBusy} onClick={() => void send()}>
            Run {WORDS[role][0].toLowerCase()}
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Not now
          </Button>
        </>
      }
    >
      <p className="muted">The task returns to where it is now. Its documents and reviews have the result.</p>
      <fieldset>
        <legend className="sr">Role</legend>
        {SINGLE_ROLES.map((name) => (
          <label className="choice" key={name}>
            <input
              type="radio"
              name="role"
              aria-label={`${WORDS[name][0]}: ${WORDS[name][1]}`}
              checked={role === name}
              onChange={() => setRole(name)}
            />
            <span>
              <b>{WORDS[name][0]}</b>
              <span className="hint"> {WORDS[name][1]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {action.error !== null && <ErrorBanner title="The role was not started." error={action.error} />}
    </Dialog>
  );
}
