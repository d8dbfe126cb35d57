/** The session of the task's runs, finished or live. */
export function Transcript({ taskId }: { taskId: string }) {
  return <p className="muted">No transcript of {taskId} yet.</p>;
}
