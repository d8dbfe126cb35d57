import type { TaskStatus } from "./task.ts";

/** A clause about a task: "it is running", "it has already succeeded". */
export function describeStatus(status: TaskStatus): string {
  switch (status) {
    case "succeeded":
      return "it has already succeeded";
    case "failed":
      return "it has failed";
    case "cancelled":
      return "it was cancelled";
    case "waiting":
      return "it waits for a person";
    case "queued":
    case "running":
    case "paused":
      return `it is ${status}`;
  }
}
