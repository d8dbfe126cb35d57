/** The change of a task. */
export function Diff({ taskId }: { taskId: string }) {
  return <p className="muted">No change of {taskId} yet.</p>;
}
