import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TaskJson } from "../../../src/http/client/client.ts";
import { createUser, PROJECT_FILE, type CliResult, type User } from "../../support/cli-user.ts";

const FAKE_LINE = "Nothing to accept: the files request no additional permissions.";
const HOSTILE = `true\u001b[2J\u202e\u009b31m\n${FAKE_LINE}`;
// oxlint-disable-next-line no-control-regex -- matches control characters
const DANGEROUS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u;
let user: User;

beforeAll(async () => {
  user = await createUser();
  await user.run("init");
  const pipelines = join(user.repo.checkout, ".nightshift/pipelines");
  await mkdir(pipelines, { recursive: true });
  await writeFile(join(pipelines, `a\u001b[2J\n${FAKE_LINE}.yaml`), "name: a\n");
  const settings = PROJECT_FILE(user.repo.path).replace("project: shop", "project: checkout");
  await writeFile(
    join(user.repo.checkout, "nightshift.yaml"),
    `${settings}  hostile: { command: ${JSON.stringify(HOSTILE)} }\nworkspace: { setup: ${JSON.stringify(HOSTILE)} }\n`,
  );
});

afterAll(async () => {
  await user.cleanUp();
});

function expectHarmless({ stdout, stderr }: CliResult): void {
  expect(`${stdout}${stderr}`).not.toMatch(DANGEROUS);
  expect(`${stdout}${stderr}`.split("\n")).not.toContain(FAKE_LINE);
}

describe("text from outside on the terminal", { timeout: 120_000 }, () => {
  it("trust shows file names and values escaped, each line marked as part of its value", async () => {
    const result = await user.run("trust");
    expectHarmless(result);
    expect(result.stderr).toContain(String.raw`true\u001b[2J\u202e\u009b31m`);
    expect(result.stderr).toContain(`  + ${FAKE_LINE}\n`);
    expect(result.stderr).toContain(String.raw`a\u001b[2J\n${FAKE_LINE}.yaml`);
  });

  it("submit, improve --dry-run and show contain neither control characters nor imitated lines", async () => {
    expectHarmless(await user.run("submit", "--pipeline", "chore", "--title", "Hostile", HOSTILE));
    expect(await user.run("trust", "--yes")).toMatchObject({ code: 0 });
    const preview = await user.run("improve", "--category", "docs", "--dry-run", "--prompts");
    expect(preview).toMatchObject({ code: 0 });
    expect(preview.stdout).toContain("hostile: true");
    expectHarmless(preview);
    const task = await user.json<TaskJson>("submit", "--pipeline", "chore", "--title", "Hostile", HOSTILE);
    const shown = await user.run("show", task.id);
    expect(shown.stdout).toContain(`  ${FAKE_LINE}\n`);
    expectHarmless(shown);
  });

  it("trust and doctor report invalid keys on one line each", async () => {
    const file = join(user.repo.checkout, "nightshift.yaml");
    const settings = await readFile(file, "utf8");
    const key = JSON.stringify(`a\u001b[2J\n${FAKE_LINE}\n`);
    await writeFile(file, `${settings}${key}: 1\nimprove: { variables: { ${key}: x } }\n`);
    try {
      for (const command of ["trust", "doctor"]) {
        const result = await user.run(command);
        expectHarmless(result);
        expect(`${result.stdout}${result.stderr}`).toContain(String.raw`a\u001b[2J\n${FAKE_LINE}`);
      }
    } finally {
      await writeFile(file, settings);
    }
  });

  it("--json keeps every character, but escaped", async () => {
    const result = await user.run("improve", "--category", "docs", "--dry-run", "--json");
    expect(result).toMatchObject({ code: 0 });
    expect(result.stdout).not.toMatch(DANGEROUS);
    const { checks } = JSON.parse(result.stdout) as { checks: { command: string }[] };
    expect(checks.map(({ command }) => command)).toContain(HOSTILE);
  });
});
