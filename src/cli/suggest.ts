import type { RootCommand } from "@bomb.sh/tab";
import { TASK_STATUSES } from "../core/task/task.ts";
import { terminalLine } from "../core/text/terminal-text.ts";
import type { TaskJson } from "../http/client/client.ts";
import { createNodeClient } from "../http/client/node-client.ts";
import { readAddress } from "./daemon/find-daemon.ts";

/** Short, because the user waits for the suggestions after pressing the tab key. */
const TIMEOUT_MS = 500;
const MAX_TASKS = 100;
const MAX_TITLE = 50;

/** Prints the completions for the last word, one per line. Never starts the daemon. */
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
  // The library adds this internal command. It must not be suggested.
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
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
    ).tasks;
  } catch {
    // Without a daemon there are no tasks to suggest, and a completion script cannot show errors.
    return [];
  }
}
