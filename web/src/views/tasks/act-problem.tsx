import { ACTION_WORDS } from "../../act/action-words.ts";
import type { Act } from "../../act/use-act.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorBanner } from "../../ui/state.tsx";

/** Why the last action failed. */
export function ActProblem({ act }: { act: Act }) {
  if (act.failure === null) return null;
  const { task, action, error } = act.failure;
  return (
    <div className="flush-pad act-problem">
      <ErrorBanner title={`${ACTION_WORDS[action].what} failed: “${task.title}”.`} error={error} />
      <Button size="small" kind="quiet" onClick={act.dismiss}>
        Close
      </Button>
    </div>
  );
}
