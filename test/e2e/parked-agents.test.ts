import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { AgentJson, TaskJson } from "../../src/http/client/client.ts";
import { createUser, PROJECT_FILE, type User } from "../support/cli-user.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let user: User;
const folder = (): string => user.repo.path;

/** Works only after the login, and records every start. */
const AGENT = `#!/bin/sh
cat > /dev/null
dir=$(dirname "$0")
echo start >> "$dir/starts"
if [ ! -e "$dir/login" ]; then
  echo '{"type":"error","message":"The login has expired.","failure":"login"}'
  exit 1
fi
echo hello > hello.txt
printf '{"outcome":"implemented","summary":"wrote hello.txt"}' > "$NIGHTSHIFT_OUTCOME_FILE"
`;

beforeAll(async () => {
  user = await createUser();
  writeFileSync(join(folder(), "expiring.sh"), AGENT);
  chmodSync(join(folder(), "expiring.sh"), 0o755);
  const own = `  expiring: { kind: command, command: ["${folder()}/expiring.sh"] }\n`;
  const settings = PROJECT_FILE(folder()).replace("checks:", `${own}checks:`);
  writeFileSync(
    join(user.repo.checkout, "nightshift.yaml"),
    `${settings}limits: { concurrent_runs: 1 }\nroles: { verify: { agent: expiring } }\n`,
  );
  const trusted = await user.run("trust", "--yes");
  if (trusted.code !== 0) throw new Error(trusted.stderr);
});
afterAll(() => user.cleanUp());

const submit = (...args: readonly string[]): Promise<TaskJson> =>
  user.json<TaskJson>("submit", "Say hello", "--pipeline", "chore", ...args);
const show = (id: string): Promise<TaskJson> => user.json<TaskJson>("show", id);
const starts = (): number => readFileSync(join(folder(), "starts"), "utf8").trim().split("\n").length;
async function eventually(holds: () => Promise<boolean>): Promise<void> {
  await vi.waitFor(async () => expect(await holds()).toBe(true), { timeout: 120_000, interval: 250 });
}

test("three tasks of an agent with an expired login: one finds out, all wait, a killed daemon remembers, and all continue", async () => {
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.push((await submit("--agent", "expiring")).id);
  for (const id of ids) await eventually(async () => (await show(id)).queued_for?.kind === "login");
  expect(starts()).toBe(1);

  // Another agent continues.
  const other = await submit("--wait");
  expect(other.status).toBe("succeeded");

  // After a restart, the agent is tried once and still parked.
  const { pid } = JSON.parse(readFileSync(join(user.home, "daemon.json"), "utf8")) as { readonly pid: number };
  process.kill(pid, "SIGKILL");
  await user.run("start");
  await eventually(async () => starts() === 2);
  for (const id of ids) await eventually(async () => (await show(id)).queued_for?.kind === "login");

  const found = (await user.json<AgentJson[]>("agents")).find(({ name }) => name === "expiring");
  expect(found).toMatchObject({ parked_for: "login", parked_reason: "The login has expired." });
  expect(found?.parked_until).not.toBeNull();
  const said = "expiring needs a login: The login has expired. Next attempt";
  expect((await user.run("agents")).stdout.replaceAll(/\s+/g, " ")).toContain(said);
  expect((await user.run("status")).stdout.replaceAll(/\s+/g, " ")).toContain(said);
  expect((await user.run("queue")).stdout.match(/The login has expired/g)).toHaveLength(1);
  const doctor = (await user.run("doctor", "--no-run")).stdout.replaceAll(/\s+/g, " ");
  expect(doctor).toContain("! agent expiring expiring needs a login: The login has expired.");
  expect((await user.run("show", ids[0] ?? "")).stdout).toContain(`nightshift retry ${ids[0]}`);
  expect((await user.run("agents", "--retry", "mine")).stderr).toContain("Parked agents: expiring.");

  writeFileSync(join(folder(), "login"), "");
  expect((await user.run("agents", "--retry", "expiring")).code).toBe(0);
  for (const id of ids) await eventually(async () => (await show(id)).status === "succeeded");
  expect(starts()).toBe(5);
  expect((await user.json<{ parked_agents: unknown[] }>("status")).parked_agents).toEqual([]);
});
