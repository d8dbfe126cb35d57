import { useEffect, useRef, useState } from "react";
import type { AppliedJson, TaskJson } from "../../../../../src/http/client/client.ts";
import { DONE, useAction } from "../../../api/actions.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { plural } from "../../../ui/format.ts";
import { ErrorBanner, Skeleton } from "../../../ui/state.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { ApplyTable } from "./apply-table.tsx";

/** Shows what would be written to the checkout before anything is. */
export function ApplyDialog({ task, onClose }: { task: TaskJson; onClose: () => void }) {
  const preview = useAction("POST /tasks/:id/apply");
  const apply = useAction("POST /tasks/:id/apply");
  const [found, setFound] = useState<AppliedJson | null>(null);
  const [force, setForce] = useState(false);
  const wasAsked = useRef(false);

  async function look(): Promise<void> {
    const reply = await preview.run({ params: { id: task.id }, body: { dry_run: true } });
    if (reply !== null && reply !== DONE) setFound(reply);
  }
  useEffect(() => {
    if (wasAsked.current) return;
    wasAsked.current = true;
    void look();
  });

  async function write(): Promise<void> {
    const reply = await apply.run({ params: { id: task.id }, body: { force } });
    if (reply === null || reply === DONE) return;
    setFound(reply);
    if (!reply.applied) return;
    onClose();
    showToast(`${plural(reply.files.filter(isWritten).length, "file")} written to the checkout.`);
  }

  const problems = found?.files.filter(({ problem }) => problem !== null) ?? [];
  const writable = found?.files.filter(isWritten) ?? [];
  return (
    <Dialog
      title="Apply the files to the checkout"
      onClose={onClose}
      actions={
        <>
          <Button
            kind="primary"
            isBusy={apply.isBusy}
            refusal={refuse(found, { problems: problems.length, writable: writable.length, force })}
            onClick={() => void write()}
          >
            Write {plural(force ? writable.length + problems.length : writable.length, "file")}
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Not now
          </Button>
        </>
      }
    >
      {preview.error !== null && (
        <ErrorBanner title="The files cannot be applied." error={preview.error} retry={() => void look()} />
      )}
      {found === null && preview.error === null && <Skeleton rows={2} />}
      {found !== null && <ApplyTable files={found.files} />}
      {problems.length > 0 && (
        <label className="flex">
          <input type="checkbox" checked={force} onChange={(event) => setForce(event.target.checked)} />
          Overwrite files that were changed since, and leave out those that cannot be written
        </label>
      )}
      {apply.error !== null && <ErrorBanner title="Nothing was written." error={apply.error} />}
    </Dialog>
  );
}

function isWritten({ change, problem }: AppliedJson["files"][number]): boolean {
  return change !== "unchanged" && problem === null;
}

function refuse(
  found: AppliedJson | null,
  { problems, writable, force }: { readonly problems: number; readonly writable: number; readonly force: boolean },
): string | null {
  if (found === null) return "First it has to be known what would be written.";
  if (writable + problems === 0) return "The checkout already has these files.";
  return problems > 0 && !force
    ? "Some files cannot be written as they are. Nothing is written unless you overwrite."
    : null;
}
