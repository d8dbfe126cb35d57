import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import type { TaskJson } from "../../../src/http/client/client.ts";
import { Ago, describeDecision, useLastDecision } from "./decided.tsx";

/** In place of a form: what was decided, and how the task goes on. */
export function NotWaiting({ task, message }: { task: TaskJson; message: string | null }) {
  const last = useLastDecision(task.id, null);
  return (
    <div className="body settled">
      {message === null ? (
        <p className="muted">It does not wait for you.</p>
      ) : (
        <p className="flex">
          <CircleCheck size={16} aria-hidden className="c-green" /> <span dir="auto">{message}</span>
        </p>
      )}
      {last !== null && message === null && (
        <p className="muted">
          <bdi>{describeDecision(last)}</bdi> <Ago at={last.at} />.
        </p>
      )}
      <p className="after">
        <Link className="link" to="/tasks/$id" params={{ id: task.id }}>
          Open the task
        </Link>
      </p>
    </div>
  );
}
