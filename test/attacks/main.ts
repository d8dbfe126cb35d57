import { isUncontrolled } from "./attack.ts";
import type { Attempt, Ground, Play, Result, Results, User } from "./attack.ts";
import { openGrounds, playOut, tryAttempts } from "./grounds.ts";
import type { Grounds } from "./grounds.ts";
import { isTopic, loadTopic } from "./topics.ts";

/** Runs one table as the current user, and prints the result of each row. */

/** Most attacks mostly wait. */
const AT_ONCE = 6;
const [topic = "", kit = ""] = process.argv.slice(2);
if (!isTopic(topic)) throw new Error(`There is no table "${topic}".`);
const user: User = process.getuid?.() === 0 ? "root" : "person";
const attacks = (await loadTopic(topic)).filter(({ only }) => only === undefined || only === user);
const grounds = await openGrounds(kit, topic);
try {
  const results = { ...(await runAttempts(grounds)), ...(await runPlays(grounds)) };
  await new Promise((written) => process.stdout.write(`${JSON.stringify(results)}\n`, written));
} finally {
  await grounds.close();
}
// Do not wait for children of a failed control.
process.exit(0);

async function runAttempts(on: Grounds): Promise<Record<string, Results>> {
  const attempts = attacks.filter((attack): attack is Attempt => attack.kind === "attempt");
  const guarded = await tryAttempts(on, "wall", attempts);
  const controls: Record<string, Result> = {};
  for (const ground of ["plain", "namespace", "child"] as const) {
    const there = attempts.filter((attempt) => groundOf(attempt) === ground);
    Object.assign(controls, await tryAttempts(on, ground, there));
  }
  return Object.fromEntries(
    attempts.map(({ name }) => [name, { guarded: found(guarded, name), control: controls[name] ?? null }]),
  );
}

function groundOf({ control }: Attempt): Ground | null {
  if (isUncontrolled(control)) return null;
  if (typeof control === "string") return control;
  return control.only === user ? control.on : null;
}

async function runPlays(on: Grounds): Promise<Record<string, Results>> {
  const plays = attacks.filter((attack): attack is Play => attack.kind === "play");
  const results: Record<string, Results> = {};
  const waiting = [...plays];
  const work = async (): Promise<void> => {
    for (let play = waiting.shift(); play !== undefined; play = waiting.shift()) {
      const { name, guarded, control } = play;
      results[name] = {
        guarded: await playOut(on, guarded),
        control: isUncontrolled(control) ? null : await playOut(on, control),
      };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}

function found(results: Record<string, Result>, name: string): Result {
  return results[name] ?? { outcome: "broken", said: "the attacker did not run it" };
}
