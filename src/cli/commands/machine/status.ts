import { createNodeClient } from "../../../http/client/node-client.ts";
import { warnAboutVersion } from "../../connect.ts";
import { Exit } from "../../exit.ts";
import { findDaemon } from "../../find-daemon.ts";
import { requireKnownProject } from "../../find-project.ts";
import { printResult, type CliContext } from "../../context.ts";
import { describeBudget } from "../../print/costs.ts";
import { indentText } from "../../print/fit-text.ts";
import { describeProblems } from "../../print/message.ts";
import { describeOutage, describeParking, outagesOf } from "../../print/queued.ts";
import { duration } from "../../print/words.ts";

/** Unlike other commands, this one never starts the daemon. */
export async function status(context: CliContext): Promise<void> {
  const address = await findDaemon(context);
  if (address === null) {
    printResult(context, { running: false }, () => 'No daemon is running. Run "nightshift start" to start it.\n');
    throw new Exit(4);
  }
  warnAboutVersion(context, address);
  const client = createNodeClient(address);
  await requireKnownProject(context, client);
  const [found, { budgets }] = await Promise.all([
    client.call("GET /status"),
    // A daemon of an older version has no such route. Its status is shown without budgets.
    client.call("GET /budgets").catch(() => ({ budgets: [] })),
  ]);
  printResult(context, { running: true, url: address.url, ...found, budgets }, () => {
    const tasks = Object.entries(found.tasks)
      .filter(([, count]) => count > 0)
      .map(([word, count]) => `${count} ${word}`);
    const lines = [
      `daemon ${found.version} (pid ${found.pid}) at ${address.url}, up ${duration(found.uptime_ms)}, sandbox ${found.sandbox}`,
      `tasks: ${tasks.length === 0 ? "none" : tasks.join(", ")}; open runs: ${found.open_runs}`,
      ...budgets.map(describeBudget),
      ...found.parked_agents.map((parked) => describeParking(parked)),
      ...outagesOf(found).map((outage) => describeOutage(outage)),
    ];
    return `${lines.map((line) => `${indentText(context, line, "", "  ")}\n`).join("")}${describeProblems(context, found.problems)}`;
  });
}
