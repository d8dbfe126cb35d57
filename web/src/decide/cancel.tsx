import { Button } from "../ui/button.tsx";
import { EndDialog } from "./compose.tsx";
import { shortTitle, useDecision, useDecisionRefusal } from "./decision-context.ts";
import { useSend } from "./send.tsx";

export function CancelButton({ onOpen }: { onOpen: () => void }) {
  const refusal = useDecisionRefusal("submit", "Cancelling a task");
  return (
    <Button kind="danger" refusal={refusal} onClick={onOpen}>
      Cancel the task…
    </Button>
  );
}

export function CancelDialog({ onClose }: { onClose: () => void }) {
  const { task } = useDecision();
  const refusal = useDecisionRefusal("submit", "Cancelling a task");
  const send = useSend("POST /tasks/:id/cancel", `Cancelled: ${shortTitle(task)}`);
  return (
    <EndDialog
      title={`Cancel “${shortTitle(task)}”?`}
      action="Cancel the task"
      problem="The task was not cancelled."
      hasReason={false}
      onSend={() => send.press(undefined)}
      {...{ send, refusal, onClose }}
    >
      The task ends now. {task.branch === null ? "" : "Its branch is kept. "}“nightshift retry” starts it again.
    </EndDialog>
  );
}
