import { UserError } from "../../core/text/errors.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { Exit } from "../exit.ts";
import { hangMessage } from "../print/terminal/message.ts";
import { paint } from "../print/terminal/style.ts";
import { table } from "../print/terminal/table.ts";

export async function listChannels(context: CliContext): Promise<void> {
  const client = await connect(context);
  const { channels } = await client.call("GET /channels");
  printResult(context, channels, () =>
    channels.length === 0
      ? "There are no channels. Add one under notify in config.yaml.\n"
      : table(
          context,
          [{ heading: "CHANNEL", min: 12 }, { heading: "PROJECT" }, { heading: "ON" }, { heading: "PROBLEM", drop: 1 }],
          channels.map(({ name, project, on, problem }) => [name, project ?? "", on.join(", "), problem ?? ""]),
        ),
  );
}

/** Sends a test message to one channel, or to all of them. */
export async function testChannels(context: CliContext, name?: string): Promise<void> {
  const client = await connect(context);
  const { channels } = await client.call("GET /channels");
  const chosen = channels.filter((channel) => name === undefined || channel.name === name);
  if (chosen.length === 0) throw noChannel(name, [...new Set(channels.map((channel) => channel.name))]);
  const results = await Promise.all(
    chosen.map(async ({ name: channel, project }) => {
      const result = await client.call("POST /channels/:name/test", { params: { name: channel }, body: { project } });
      return { channel, project, ...result };
    }),
  );
  printResult(context, results, () =>
    results
      .map(({ channel, project, ok, detail }) => {
        const mark = ok ? paint(context, "green", "✓") : paint(context, "red", "✗");
        const of = project === null ? "" : ` (${project})`;
        return `${hangMessage(context, `${mark} ${channel}${of}: ${detail}`, "  ")}\n`;
      })
      .join(""),
  );
  if (results.some(({ ok }) => !ok)) throw new Exit(1);
}

function noChannel(name: string | undefined, known: readonly string[]): UserError {
  if (known.length === 0)
    return new UserError("not_found", "There are no channels.", "Add one under notify in config.yaml.");
  return new UserError("not_found", `There is no channel "${name ?? ""}".`, `Channels: ${known.join(", ")}.`);
}
