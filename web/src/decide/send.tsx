import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { type CallableRoute, type CallOptions, ProblemError, type TaskJson } from "../../../src/http/client/client.ts";
import { useAction } from "../api/actions.ts";
import { useConnection } from "../api/live.ts";
import { Button, type ButtonProps } from "../ui/button.tsx";
import { Banner, ErrorBanner } from "../ui/state.tsx";
import { useDecision } from "./decision-context.ts";

type DecisionRoute = Extract<CallableRoute, `POST /tasks/:id/${string}`>;

/** What is true after the daemon accepted it. */
type Message = string | ((task: TaskJson) => string);

export interface Send<K extends DecisionRoute> {
  /** Sends the decision. If the daemon did not answer before, it is sent when it answers again. */
  press(body: CallOptions<K>["body"]): void;
  readonly isBusy: boolean;
  /** Waits until the daemon answers. */
  readonly isQueued: boolean;
  readonly error: Error | null;
}

/** One way to decide about the task. The daemon applies it once, however often it is sent. */
export function useSend<K extends DecisionRoute>(route: K, message: Message, onSent?: () => void): Send<K> {
  const { task, ended, setSending, finish } = useDecision();
  const action = useAction(route);
  const { state } = useConnection();
  const [queued, setQueued] = useState<{ readonly body: CallOptions<K>["body"] } | null>(null);
  const isAway = state === "away";

  async function send(body: CallOptions<K>["body"]): Promise<void> {
    if (action.isBusy) return;
    setSending(true);
    // The cast is safe: every route of this type has the id of a task, and this body.
    const reply = await action.run({ params: { id: task.id }, body } as unknown as Parameters<typeof action.run>[0]);
    setSending(false);
    // A conflict means that the page shows an old state of the task.
    if (reply === null) return void client.invalidateQueries({ predicate: ({ queryKey }) => isOfTask(queryKey) });
    onSent?.();
    // The cast is safe: all routes of this type answer with the task.
    finish(typeof message === "string" ? message : message(reply as TaskJson));
  }

  const client = useQueryClient();
  const latest = useRef(send);
  useEffect(() => {
    latest.current = send;
  });
  useEffect(() => {
    if (queued === null || isAway) return;
    setQueued(null);
    if (ended === null) void latest.current(queued.body);
  }, [queued, isAway, ended]);

  return {
    press(body) {
      if (isAway && isLost(action.error)) setQueued({ body });
      else void send(body);
    },
    isBusy: action.isBusy,
    isQueued: queued !== null,
    error: action.error,
  };
}

function isOfTask([route]: readonly unknown[]): boolean {
  return route === "GET /tasks/:id" || route === "GET /decisions";
}

/** The daemon gave no answer, so nobody knows whether it received the request. */
function isLost(error: Error | null): boolean {
  return error !== null && !(error instanceof ProblemError);
}

interface SendButtonProps extends Omit<ButtonProps, "isBusy" | "onClick"> {
  readonly send: Pick<Send<DecisionRoute>, "isBusy" | "isQueued">;
  readonly onPress: () => void;
  readonly children: ReactNode;
}

export function SendButton({ send, onPress, children, refusal, ...rest }: SendButtonProps) {
  return (
    <Button
      {...rest}
      isBusy={send.isBusy}
      refusal={send.isQueued ? "It is sent as soon as Nightshift answers." : refusal}
      onClick={onPress}
    >
      {send.isQueued ? "Will send when Nightshift answers" : children}
    </Button>
  );
}

/** Why a decision was not accepted. `title` says what did not happen. */
export function SendProblem({ send, title }: { send: Pick<Send<DecisionRoute>, "error" | "isQueued">; title: string }) {
  if (send.error === null || send.isQueued) return null;
  if (!isLost(send.error)) return <ErrorBanner title={title} error={send.error} />;
  return (
    <Banner kind="red">
      <b className="strong">Nightshift did not answer.</b> What you entered is kept. Press the button again to send it
      as soon as Nightshift answers. It has an effect only once, however often it is sent.
    </Banner>
  );
}
