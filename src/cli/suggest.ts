import type { RootCommand } from "@bomb.sh/tab";
import { TASK_STATUSES } from "../core/task/task.ts";
import { terminalLine } from "../core/text/terminal-text.ts";
import type { TaskJson } from "../http/client/client.ts";
import { createNodeClient } from "../http/client/node-client.ts";
import { readAddress } from "./find-daemon.ts";

/** Who presses the tab key waits for this. */
const PATIENCE_MS = 500;
const MAX_TASKS = 100;
const MAX_TITLE = 50;

/** What could stand at the last of these words, one line each. Starts no daemon. */
export async function suggest(words: readonly string[]): Promise<void> {
  const root = await describeCommands();
  const wanted = words.findLast(
    (word, index) => index < words.length - 1 && root.commands.get(word)?.arguments.has("task"),
  );
  if (wanted !== undefined) addTasks(root, wanted, await readTasks());
  root.parse([...words]);
}

async function describeCommands(): Promise<RootCommand> {
  const [{ default: tab }, { createProgram }] = await Promise.all([
    import("@bomb.sh/tab/commander"),
    import("./program.ts"),
  ]);
  const root = tab(createProgram());
  // The adapter's own command, which nobody types.
  root.commands.delete("complete");
  const status = root.commands.get("queue")?.options.get("status");
  if (status !== undefined) status.handler = (complete) => TASK_STATUSES.forEach((word) => complete(word, ""));
  return root;
}

function addTasks(root: RootCommand, command: string, tasks: readonly TaskJson[]): void {
  const argument = root.commands.get(command)?.arguments.get("task");
  if (argument !== undefined)
    argument.handler = (complete) =>
      tasks.forEach((task) => complete(task.id, `${task.status}: ${terminalLine(task.title, MAX_TITLE)}`));
}

async function readTasks(): Promise<readonly TaskJson[]> {
  try {
    const address = await readAddress({ env: process.env });
    if (address === null) return [];
    return (
      await createNodeClient(address).call("GET /tasks", {
        query: { limit: MAX_TASKS },
        signal: AbortSignal.timeout(PATIENCE_MS),
      })
    ).tasks;
  } catch {
    // Without a daemon there is nothing to suggest, and no place to say so.
    return [];
  }
}
