import { Link } from "@tanstack/react-router";
import { ChevronLeft } from "lucide-react";
import { useEffect, useRef } from "react";
import type { TaskJson } from "../../../../src/http/client/client.ts";
import { useApi } from "../../api/queries.ts";
import { DecideTask } from "../../decide/decide-task.tsx";
import { titleOf } from "../../decide/wait.ts";
import { Glyph, Status } from "../../ui/glyph.tsx";
import { Time } from "../../ui/time.tsx";

interface DecisionPaneProps {
  readonly id: string;
  readonly isPageTitle: boolean;
  /** After a decision, the title of the next one gets the focus. */
  readonly takesFocus: boolean;
  readonly onDecided: () => void;
}

/** One decision with what a person has to know about its task. */
export function DecisionPane({ id, isPageTitle, takesFocus, onDecided }: DecisionPaneProps) {
  const { data: task } = useApi("GET /tasks/:id", { params: { id } });
  return (
    <article className="decide" aria-label="Decision">
      <Link className="back show-sm" to="/inbox">
        <ChevronLeft size={16} aria-hidden /> Inbox
      </Link>
      {task !== undefined && <Head {...{ task, isPageTitle, takesFocus }} />}
      <DecideTask task={id} onDecided={onDecided} />
    </article>
  );
}

type HeadProps = Pick<DecisionPaneProps, "isPageTitle" | "takesFocus"> & { readonly task: TaskJson };

function Head({ task, isPageTitle, takesFocus }: HeadProps) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) title.current?.focus({ preventScroll: true });
  }, [takesFocus]);
  const Title = isPageTitle ? "h1" : "h2";
  return (
    <>
      {task.waiting_for === null ? (
        <Status name={task.status} />
      ) : (
        <div className="kind">
          <Glyph name="waiting" />
          {titleOf(task.waiting_for)}
        </div>
      )}
      <Title className="decide-title" dir="auto" ref={title} tabIndex={-1}>
        {task.title}
      </Title>
      <div className="meta">
        <span dir="auto">{task.project}</span>
        <span dir="auto">{task.pipeline}</span>
        <span>
          submitted by <bdi>{task.submitted_by}</bdi>, <Time at={task.created_at} />
        </span>
        {task.waiting_for !== null && (
          <span>
            waiting since <Time at={task.waiting_for.since} />
          </span>
        )}
        <Link className="link" to="/tasks/$id" params={{ id: task.id }}>
          {task.short_id}
        </Link>
      </div>
    </>
  );
}
