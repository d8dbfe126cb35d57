// The client for ACP agents: `node client.js <rules.json>`, with the prompt on stdin. It starts the agent, connects to it over
// stdio, answers permission requests according to the rules, and prints one transcript event per line.
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import type { ClientContext } from "@agentclientprotocol/sdk";
import type { TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import { startAgent } from "./agent-process.ts";
import { describeError, describeStop } from "./errors.ts";
import { fieldsOf } from "./fields.ts";
import { createClientHandler, type ClientHandler } from "./client-handler.ts";
import { formatEvent } from "./format-event.ts";
import type { AcpRules } from "./rules.ts";
import { sendRequest, openSession } from "./session.ts";
import { openMessageStream } from "./message-stream.ts";

/** Text arrives in small chunks, which are buffered until they are printed at this interval. */
const FLUSH_INTERVAL_MS = 2_000;
/** Time for the agent to save its session after the last response. */
const EXIT_TIMEOUT_MS = 3_000;
/** After a signal the client must exit within three seconds. */
const CANCEL_TIMEOUT_MS = 1_500;
const STOP_TIMEOUT_MS = 300;
/** Time to read the remaining output of an agent that ended. */
const DRAIN_MS = 100;
const EXIT_TERMINATED = 143;

process.exit(await main());

async function main(): Promise<number> {
  let isStopping = false;
  const stopRequested = new Promise<void>((resolve) => {
    const stop = () => {
      isStopping = true;
      resolve();
    };
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, stop);
  });
  // Written by the adapter (acp.ts).
  const rules = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as AcpRules;
  const prompt = await text(process.stdin);
  const agent = startAgent(rules.command, rules.workspace);
  const handler = createClientHandler(rules, print);
  const { stdout: from, stdin: to } = agent;
  const connection = handler.app.connect(openMessageStream({ from, to, onOther: (line) => handler.printOther(line) }));
  const flushing = setInterval(() => handler.flush(), FLUSH_INTERVAL_MS);
  const work = runTurn({ agent: connection.agent, handler, rules, prompt, stopRequested });
  const code = await Promise.race([
    // Waits longer than the branch below: if the agent ended, that is the cause of the error.
    work.catch((error: unknown) => wait(2 * DRAIN_MS).then(() => fail(describeError(error)))),
    agent.ended.then((how) => wait(DRAIN_MS).then(() => fail([errorEvent(`${how} The turn was not finished.`)]))),
    stopRequested.then(() => {
      handler.denyPermissions();
      return wait(CANCEL_TIMEOUT_MS, EXIT_TERMINATED);
    }),
  ]);
  clearInterval(flushing);
  await agent.stop(code === 0 ? EXIT_TIMEOUT_MS : STOP_TIMEOUT_MS);
  return isStopping ? EXIT_TERMINATED : code;

  function fail(events: readonly TranscriptEvent[]): number {
    handler.flush();
    print(events);
    return 1;
  }
}

interface Turn {
  readonly agent: ClientContext;
  readonly handler: ClientHandler;
  readonly rules: AcpRules;
  readonly prompt: string;
  readonly stopRequested: Promise<void>;
}

/** Opens the session and runs one turn. Returns the exit code. */
async function runTurn({ agent, handler, rules, prompt, stopRequested }: Turn): Promise<number> {
  const { id, warnings } = await openSession(agent, rules);
  print([{ type: "session", id, directory: rules.workspace }, ...warnings.map(errorEvent)]);
  // The SDK delivers a response before notifications that arrived earlier.
  await nextTurn();
  handler.startRecording();
  const pending = sendRequest(agent, "session/prompt", { sessionId: id, prompt: [{ type: "text", text: prompt }] });
  void stopRequested.then(() => agent.notify("session/cancel", { sessionId: id })).catch(() => {});
  const response = await pending;
  await nextTurn();
  handler.flush();
  handler.printUsage(response);
  const errors = describeStop(fieldsOf(response)["stopReason"]);
  print(errors);
  return errors.length === 0 ? 0 : 1;
}

function errorEvent(message: string): TranscriptEvent {
  return { type: "error", message, failure: null };
}

function print(events: readonly TranscriptEvent[]): void {
  for (const event of events) process.stdout.write(`${formatEvent(event)}\n`);
}
