import { useNavigate } from "@tanstack/react-router";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { labelOf } from "../../../act/action-words.ts";
import { Button } from "../../../ui/button.tsx";

export const DECISION_ID = "decide";

const ACTIONS = {
  approval: "approve",
  answers: "answer",
  choice: "choose",
  review: "approve",
  merge: "merge",
} as const;

/** Leads to the decision on the timeline, where everything stands that it is about. */
export function DecideLink({ task }: { task: TaskJson }) {
  const navigate = useNavigate();
  if (task.waiting_for === null) return null;
  const label = labelOf(ACTIONS[task.waiting_for.kind], task);
  return (
    <Button
      kind="primary"
      onClick={() => {
        void navigate({ to: "/tasks/$id/$tab", params: { id: task.id, tab: "timeline" } }).then(focusDecision);
      }}
    >
      {label}
    </Button>
  );
}

/** The tab may have to be loaded first. */
function focusDecision(): void {
  if (focusSection()) return;
  const observer = new MutationObserver(() => {
    if (focusSection()) observer.disconnect();
  });
  observer.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), LOADING_MS);
}

/** False if it is not on the page yet. */
function focusSection(): boolean {
  const section = document.getElementById(DECISION_ID);
  section?.focus();
  section?.scrollIntoView({ block: "start" });
  return section !== null;
}

const LOADING_MS = 5000;
