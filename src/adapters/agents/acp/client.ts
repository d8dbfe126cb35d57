// The client of every ACP agent: `node acp-client.js <rules.json>`, the prompt on stdin. It starts the agent, speaks the protocol
// with it over its pipes, answers its requests for permission by rule, and prints events of ours, one a line.
import { readFileSync } from "node:fs";
import { setImmediate as nextTurn, setTimeout as wait } from "node:timers/promises";
import type { ClientContext } from "@agentclientprotocol/sdk";
import type { TranscriptEvent } from "../../../core/task/transcript.ts";
import { startAgent } from "./agent.ts";
import { describeError, describeStop } from "./end.ts";
import { fieldsOf } from "./fields.ts";
import { createListener, type Listener } from "./listen.ts";
import { toOwnLine } from "./print.ts";
import type { AcpRules } from "./rules.ts";
import { ask, openSession } from "./session.ts";
import { openMessages } from "./stream.ts";

/** Words that came in pieces are printed together, but not much later than they were said. */
const HOLD_MS = 2_000;
/** To write down its session after the last answer. */
const PARTING_MS = 3_000;
/** After a call to stop everything has to be over within three seconds. */
const CANCEL_MS = 1_500;
const STOP_MS = 300;
/** What is still in the pipe of an agent that ended. */
const LAST_WORDS_MS = 100;
const TERMINATED = 143;

process.exit(await main());

async function main(): Promise<number> {
  let isStopping = false;
  const isStopped = new Promise<void>((resolve) => {
    const stop = () => {
      isStopping = true;
      resolve();
    };
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, stop);
  });
  // Written by the adapter beside this program.
  const rules = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as AcpRules;
  const prompt = await readPrompt();
  const agent = startAgent(rules.command, rules.workspace);
  const listener = createListener(rules, print);
  const { stdout: from, stdin: to } = agent;
  const connection = listener.app.connect(openMessages({ from, to, onOther: (line) => listener.overhear(line) }));
  const flushing = setInterval(() => listener.flush(), HOLD_MS);
  const work = converse({ agent: connection.agent, listener, rules, prompt, isStopped });
  const code = await Promise.race([
    // Where the agent is gone, that is the reason for everything else.
    work.catch((error: unknown) => wait(2 * LAST_WORDS_MS).then(() => fail(describeError(error)))),
    agent.ended.then((how) => wait(LAST_WORDS_MS).then(() => fail([problem(`${how} It had not finished.`)]))),
    isStopped.then(() => {
      listener.refuse();
      return wait(CANCEL_MS, TERMINATED);
    }),
  ]);
  clearInterval(flushing);
  await agent.stop(code === 0 ? PARTING_MS : STOP_MS);
  return isStopping ? TERMINATED : code;

  function fail(events: readonly TranscriptEvent[]): number {
    listener.flush();
    print(events);
    return 1;
  }
}

interface Conversation {
  readonly agent: ClientContext;
  readonly listener: Listener;
  readonly rules: AcpRules;
  readonly prompt: string;
  readonly isStopped: Promise<void>;
}

/** From the greeting to the end of the turn; returns the exit code. */
async function converse({ agent, listener, rules, prompt, isStopped }: Conversation): Promise<number> {
  const { id, complaints } = await openSession(agent, rules);
  print([{ type: "session", id }, ...complaints.map(problem)]);
  // The SDK hands an answer on before what was told ahead of it.
  await nextTurn();
  listener.goLive();
  const answering = ask(agent, "session/prompt", { sessionId: id, prompt: [{ type: "text", text: prompt }] });
  void isStopped.then(() => agent.notify("session/cancel", { sessionId: id })).catch(() => {});
  const answer = await answering;
  await nextTurn();
  listener.flush();
  listener.count(answer);
  const end = describeStop(fieldsOf(answer)["stopReason"]);
  print(end);
  return end.length === 0 ? 0 : 1;
}

function problem(message: string): TranscriptEvent {
  return { type: "error", message, failure: null };
}

function print(events: readonly TranscriptEvent[]): void {
  for (const event of events) process.stdout.write(`${toOwnLine(event)}\n`);
}

async function readPrompt(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer); // without an encoding there are only these
  return Buffer.concat(chunks).toString("utf8");
}
