import type { PersonAction } from "../../../src/core/pipeline/explain-actions.ts";
import type { Right } from "../../../src/core/task/requester.ts";
import type { TaskJson } from "../../../src/http/client/client.ts";

interface ActionWords {
  /** A verb, with … if it asks more first. */
  readonly label: string;
  /** Starts the sentence that says which right is missing. */
  readonly what: string;
  readonly right: Right;
  /** What is true afterwards, of one task and of several. */
  readonly done?: string;
}

export const ACTION_WORDS: Readonly<Record<PersonAction, ActionWords>> = {
  approve: { label: "Approve…", what: "Approving", right: "approve" },
  answer: { label: "Answer the questions…", what: "Answering", right: "approve" },
  choose: { label: "Choose an option…", what: "Choosing", right: "approve" },
  merge: { label: "Merge…", what: "Merging", right: "approve" },
  comment: { label: "Comment on the change…", what: "Commenting on a change", right: "approve" },
  revise: { label: "Request a new version…", what: "Requesting changes", right: "approve" },
  "follow-up": { label: "Follow up…", what: "Following up", right: "submit" },
  reject: { label: "Reject…", what: "Rejecting", right: "approve" },
  resume: { label: "Resume", what: "Resuming a task", right: "submit", done: "Resumed" },
  retry: { label: "Retry", what: "Retrying a task", right: "submit", done: "Retried" },
  pause: { label: "Pause", what: "Pausing a task", right: "submit", done: "Paused" },
  cancel: { label: "Cancel…", what: "Cancelling a task", right: "submit", done: "Cancelled" },
  kill: { label: "End it at once…", what: "Ending a task", right: "submit", done: "Ended" },
  delete: { label: "Delete…", what: "Deleting a task", right: "admin", done: "Deleted" },
};

/** The label of an action on this task: "Merge #231…". */
export function labelOf(action: PersonAction, { change_request: request }: Pick<TaskJson, "change_request">): string {
  if (action === "merge" && request?.state === "open") return `Merge #${request.number}…`;
  return ACTION_WORDS[action].label;
}
