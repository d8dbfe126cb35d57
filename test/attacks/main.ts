import { hasNoControl } from "./attack.ts";
import type { Attempt, ControlEnvironment, MultiStepAttack, Result, Results, User } from "./attack.ts";
import { createEnvironments, runAttempts, runMultiStepAttack } from "./environments.ts";
import type { Environments } from "./environments.ts";
import { isTopic, loadTopic } from "./topics.ts";

/** Runs one table as the current user, and prints the result of each row. */

/** Attacks spend most of their time waiting. */
const CONCURRENCY = 6;
const [topic = "", kit = ""] = process.argv.slice(2);
if (!isTopic(topic)) throw new Error(`There is no table "${topic}".`);
const user: User = process.getuid?.() === 0 ? "root" : "user";
const attacks = (await loadTopic(topic)).filter(({ only }) => only === undefined || only === user);
const environments = await createEnvironments(kit, topic);
try {
  const results = { ...(await runSingleAttempts(environments)), ...(await runMultiStepAttacks(environments)) };
  await new Promise((written) => process.stdout.write(`${JSON.stringify(results)}\n`, written));
} finally {
  await environments.close();
}
// Do not wait for children of a failed control.
process.exit(0);

async function runSingleAttempts(on: Environments): Promise<Record<string, Results>> {
  const attempts = attacks.filter((attack): attack is Attempt => attack.kind === "attempt");
  const guarded = await runAttempts(on, "sandbox", attempts);
  const controls: Record<string, Result> = {};
  for (const environment of ["plain", "namespace", "child"] as const) {
    const selected = attempts.filter((attempt) => controlEnvironmentOf(attempt) === environment);
    Object.assign(controls, await runAttempts(on, environment, selected));
  }
  return Object.fromEntries(
    attempts.map(({ name }) => [name, { guarded: resultOf(guarded, name), control: controls[name] ?? null }]),
  );
}

function controlEnvironmentOf({ control }: Attempt): ControlEnvironment | null {
  if (hasNoControl(control)) return null;
  if (typeof control === "string") return control;
  return control.only === user ? control.on : null;
}

async function runMultiStepAttacks(on: Environments): Promise<Record<string, Results>> {
  const multiStep = attacks.filter((attack): attack is MultiStepAttack => attack.kind === "multi_step");
  const results: Record<string, Results> = {};
  const waiting = [...multiStep];
  const work = async (): Promise<void> => {
    for (let attack = waiting.shift(); attack !== undefined; attack = waiting.shift()) {
      const { name, guarded, control } = attack;
      results[name] = {
        guarded: await runMultiStepAttack(on, guarded),
        control: hasNoControl(control) ? null : await runMultiStepAttack(on, control),
      };
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return results;
}

function resultOf(results: Record<string, Result>, name: string): Result {
  return results[name] ?? { outcome: "broken", detail: "the attacker did not run it" };
}
