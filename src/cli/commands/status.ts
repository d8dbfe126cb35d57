import { createNodeClient } from "../../http/client/node-client.ts";
import { findDaemon } from "../find-daemon.ts";
import { answer, type CliContext } from "../context.ts";
import { describeBudget } from "../print/budgets.ts";
import { describeProblems } from "../print/problems.ts";
import { duration } from "../print/words.ts";

/** Starts nothing: a question about the daemon must not be answered by making one. */
export async function status(context: CliContext): Promise<void> {
  const address = await findDaemon(context);
  if (address === null)
    return answer(context, { running: false }, () => "no daemon is running; nightshift start starts one\n");
  const client = createNodeClient(address);
  const [found, { budgets }] = await Promise.all([
    client.call("GET /status"),
    // A daemon from before an update knows nothing of them, and is to be asked how it is all the same.
    client.call("GET /budgets").catch(() => ({ budgets: [] })),
  ]);
  answer(context, { running: true, url: address.url, ...found, budgets }, () => {
    const tasks = Object.entries(found.tasks)
      .filter(([, count]) => count > 0)
      .map(([word, count]) => `${count} ${word}`);
    return [
      `daemon ${found.version} (pid ${found.pid}) at ${address.url}, up ${duration(found.uptime_ms)}, sandbox ${found.sandbox}`,
      `tasks: ${tasks.length === 0 ? "none" : tasks.join(", ")}; open runs: ${found.open_runs}`,
      ...budgets.map(describeBudget),
      describeProblems(context, found.problems),
    ].join("\n");
  });
}
