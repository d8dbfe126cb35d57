import type { PersonAction } from "../../../src/core/pipeline/explain-actions.ts";
import { type Action, useAction } from "../api/actions.ts";

type SimpleRoute =
  | "POST /tasks/:id/pause"
  | "POST /tasks/:id/resume"
  | "POST /tasks/:id/cancel"
  | "POST /tasks/:id/kill";

export interface ActionSender {
  /** Returns why it failed, or null. */
  (action: PersonAction, id: string, from: string | null): Promise<Error | null>;
}

/** Sends the actions that need no further input. */
export function useSendAction(): ActionSender {
  const pause = useAction("POST /tasks/:id/pause");
  const resume = useAction("POST /tasks/:id/resume");
  const cancel = useAction("POST /tasks/:id/cancel");
  const kill = useAction("POST /tasks/:id/kill");
  const retry = useAction("POST /tasks/:id/retry");
  const remove = useAction("DELETE /tasks/:id");
  const simple: Readonly<Partial<Record<PersonAction, Action<SimpleRoute>>>> = { pause, resume, cancel, kill };

  return async (action, id, from) => {
    const params = { id };
    if (action === "retry") return await retry.send({ params, body: { from } });
    if (action === "delete") return await remove.send({ params });
    const route = simple[action];
    if (route === undefined) throw new Error(`${action} is decided in the inbox`);
    return await route.send({ params });
  };
}
