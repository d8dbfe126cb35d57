import { readFileSync } from "node:fs";
import { Absent, Refused } from "./attack.ts";
import type { Attempt, Result, Fixture } from "./attack.ts";
import { loadTopic } from "./topics.ts";
import type { Topic } from "./topics.ts";

/** Input of the attacker: the table, its rows, and the paths of the fixture. */
export interface AttackerInput {
  readonly topic: Topic;
  readonly names: readonly string[];
  readonly fixture: Fixture;
}

const TIMEOUT_MS = 5_000;

async function runAttempt({ attempt }: Attempt, fixture: Fixture): Promise<Result> {
  const tooLate = new Promise<never>((_, fail) => setTimeout(() => fail(new Refused("no answer")), TIMEOUT_MS).unref());
  try {
    return { outcome: "worked", detail: await Promise.race([attempt(fixture), tooLate]) };
  } catch (error) {
    return { outcome: classifyError(error), detail: String(error) };
  }
}

function classifyError(error: unknown): Result["outcome"] {
  if (error instanceof Absent) return "absent";
  if (error instanceof Refused) return "stopped";
  const isFromSystem = error instanceof Error && ("errno" in error || "syscall" in error);
  return isFromSystem ? "stopped" : "broken";
}

const input = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as AttackerInput;
const attacks = await loadTopic(input.topic);
for (const name of input.names) {
  const attack = attacks.find((each) => each.name === name);
  if (attack?.kind !== "attempt") throw new Error(`There is no attempt "${name}".`);
  const result = await runAttempt(attack, input.fixture);
  process.stdout.write(`${JSON.stringify({ name, ...result })}\n`);
}
// Do not wait for what the attempts left open.
process.exit(0);
