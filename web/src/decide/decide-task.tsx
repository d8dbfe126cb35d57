export interface DecideTaskProps {
  /** Id of the waiting task. */
  readonly task: string;
  /** Called after a decision was accepted, for example to open the next one. */
  readonly onDecided?: () => void;
}

/** Everything that a person needs to decide what a task waits for, with the form. Used in the inbox and on the morning page. */
export function DecideTask({ task }: DecideTaskProps) {
  return <div data-task={task} />;
}
