import { readdirSync, readFileSync } from "node:fs";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createUser, pollUntil, PROJECT_FILE, type User } from "../support/cli-user.ts";

// Shorter than the shortest secret that can be redacted, so only removing it from the URL helps.
const PASSWORD = "hunter2";
let user: User;

beforeAll(async () => {
  user = await createUser();
  // Nothing listens on this port.
  await user.repo.git("remote", "set-url", "origin", `https://bob:${PASSWORD}@127.0.0.1:9/team/shop.git`);
});

afterAll(async () => {
  await user.cleanUp();
});

function readLogs(): string {
  const dir = join(user.home, "logs");
  return readdirSync(dir)
    .map((name) => readFileSync(join(dir, name), "utf8"))
    .join("");
}

describe("credentials in URLs", { timeout: 120_000 }, () => {
  it("of a repository that cannot be reached are not part of the warning", async () => {
    const { code, stderr } = await user.run("init", "--url", `https://bob:${PASSWORD}@127.0.0.1:9/team/api.git`);
    expect(code).toBe(0);
    expect(stderr).toContain("Warning: The remote https://127.0.0.1:9/team/api.git cannot be reached.");
    expect(stderr).not.toContain(PASSWORD);
    expect(await user.run("projects", "--remove", "api")).toMatchObject({ code: 0 });
  });

  it("of a remote are shown by no command, no route and no log", async () => {
    const outputs = [await user.run("init"), await user.run("projects"), await user.run("projects", "--json")];
    for (const result of outputs) expect(result).toMatchObject({ code: 0 });
    expect(outputs[0]?.stdout).toContain("remote https://127.0.0.1:9/team/shop.git");
    await writeFile(join(user.repo.checkout, "nightshift.yaml"), PROJECT_FILE(user.repo.path));
    expect(await user.run("projects", "--remove", "checkout")).toMatchObject({ code: 0 });
    outputs.push(await user.run("trust", "--yes"));
    const { id } = await user.json<{ id: string }>("submit", "--pipeline", "chore", "x");
    await pollUntil(
      () => user.run("show", id),
      ({ stdout }) => stdout.includes("127.0.0.1:9"),
    );
    outputs.push(await user.run("show", id), await user.run("show", id, "--json"), await user.run("doctor"));
    expect(await user.run("kill", id)).toMatchObject({ code: 0 });
    for (const { stdout, stderr } of outputs) expect(`${stdout}${stderr}`).not.toContain(PASSWORD);
    expect(readLogs()).not.toContain(PASSWORD);
  });

  it("of a refused webhook URL are neither printed nor logged", async () => {
    await appendFile(
      join(user.repo.checkout, "nightshift.yaml"),
      `notify:\n  webhook: { url: "https://bob:${PASSWORD}@example.com/hook?token=${PASSWORD}" }\n`,
    );
    for (const args of [["submit", "--pipeline", "chore", "x"], ["trust"], ["doctor"]]) {
      const { code, stdout, stderr } = await user.run(...args);
      expect(code).not.toBe(0);
      expect(`${stdout}${stderr}`).toContain("notify.webhook.url");
      expect(`${stdout}${stderr}`).toContain("it contains credentials, which are not shown");
      expect(`${stdout}${stderr}`).not.toContain(PASSWORD);
    }
    await pollUntil(
      async () => readLogs(),
      (logs) => logs.includes("notify.webhook.url"),
    );
    expect(readLogs()).not.toContain(PASSWORD);
  });
});
