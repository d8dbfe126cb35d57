import { Link } from "@tanstack/react-router";
import { ProblemError, type TaskJson } from "../../../../src/http/client/client.ts";
import { Empty, ErrorBanner } from "../../ui/state.tsx";

export interface TaskProblemProps {
  /** As in the address. */
  readonly id: string;
  readonly error: Error;
  /** The task as it was shown before, if it was deleted meanwhile. */
  readonly known: TaskJson | null;
  readonly retry: () => void;
}

/** Why there is no task to show. */
export function TaskProblem({ id, error, known, retry }: TaskProblemProps) {
  return (
    <div className="page">
      <Problem {...{ id, error, known, retry }} />
    </div>
  );
}

function Problem({ id, error, known, retry }: TaskProblemProps) {
  if (known !== null)
    return (
      <>
        <h1 className="h1">This task was deleted</h1>
        <p className="muted" dir="auto">
          {known.title}
        </p>
        <Empty title="Its workspace and records are gone">
          Branches and change requests that it published are kept. Its costs still count. <AllTasks />
        </Empty>
      </>
    );
  const status = error instanceof ProblemError ? error.status : null;
  const matches = status === 400 || status === 422 ? findIds(error.message) : [];
  if (matches.length > 0)
    return (
      <>
        <h1 className="h1">
          Several tasks start with <span dir="auto">{id}</span>
        </h1>
        <ul className="stack" style={{ marginTop: 16 }}>
          {matches.map((match) => (
            <li key={match}>
              <Link className="link mono" to="/tasks/$id" params={{ id: match }}>
                {match}
              </Link>
            </li>
          ))}
        </ul>
      </>
    );
  if (status === 404 || status === 400 || status === 422)
    return (
      <>
        <h1 className="h1">
          No task starts with <span dir="auto">{id}</span>
        </h1>
        <Empty title="The task may have been deleted, or the address is incomplete">
          <AllTasks />
        </Empty>
      </>
    );
  return (
    <>
      <h1 className="h1">Task</h1>
      <ErrorBanner title="The task could not be read." error={error} retry={retry} />
    </>
  );
}

function AllTasks() {
  return (
    <Link className="link" to="/tasks">
      Show all tasks
    </Link>
  );
}

/** The answer about an ambiguous prefix names the tasks that it matches. */
function findIds(message: string): readonly string[] {
  return [...new Set(message.match(/\btask_[a-z0-9]+\b/g))].filter((match) => !message.startsWith(`"${match}"`));
}
