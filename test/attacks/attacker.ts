import { readFileSync } from "node:fs";
import { Absent, Refused } from "./attack.ts";
import type { Attempt, Result, Scene } from "./attack.ts";
import { loadTopic } from "./topics.ts";
import type { Topic } from "./topics.ts";

/** Input of the attacker: the table, its rows, and the paths of the scene. */
export interface Orders {
  readonly topic: Topic;
  readonly names: readonly string[];
  readonly scene: Scene;
}

const PATIENCE_MS = 5_000;

async function tryOut({ attempt }: Attempt, scene: Scene): Promise<Result> {
  const tooLate = new Promise<never>((_, fail) =>
    setTimeout(() => fail(new Refused("no answer")), PATIENCE_MS).unref(),
  );
  try {
    return { outcome: "worked", said: await Promise.race([attempt(scene), tooLate]) };
  } catch (error) {
    return { outcome: judge(error), said: String(error) };
  }
}

function judge(error: unknown): Result["outcome"] {
  if (error instanceof Absent) return "absent";
  if (error instanceof Refused) return "stopped";
  const isFromSystem = error instanceof Error && ("errno" in error || "syscall" in error);
  return isFromSystem ? "stopped" : "broken";
}

const orders = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Orders;
const attacks = await loadTopic(orders.topic);
for (const name of orders.names) {
  const attack = attacks.find((each) => each.name === name);
  if (attack?.kind !== "attempt") throw new Error(`There is no attempt "${name}".`);
  const result = await tryOut(attack, orders.scene);
  process.stdout.write(`${JSON.stringify({ name, ...result })}\n`);
}
// Do not wait for what the attempts left open.
process.exit(0);
