import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TaskJson } from "../../../src/http/client/client.ts";
import { createUser, pollUntil, PROJECT_FILE, type User } from "../../support/cli-user.ts";

let user: User;
const tasks: Record<string, string> = {};

beforeAll(async () => {
  user = await createUser();
  await writeFile(join(user.repo.checkout, "nightshift.yaml"), PROJECT_FILE(user.repo.path));
  await user.run("init", "--yes", "--no-run");
  const submit = async (...args: readonly string[]): Promise<string> => {
    const { stdout } = await user.run("submit", "--pipeline", "chore", "--json", ...args);
    return (JSON.parse(stdout) as TaskJson).id;
  };
  tasks["published"] = await submit("--wait", "Greet");
  tasks["asks"] = await submit("--wait", "--agent", "asker", "Greet");
  const running = await submit("Greet SLOWLY");
  await pollUntil(
    () => user.json<TaskJson>("show", running),
    ({ status }) => status === "running",
  );
  tasks["runs"] = running;
}, 120_000);

afterAll(() => user.cleanUp());

describe("a command in the wrong state", { timeout: 120_000 }, () => {
  test.each([
    ["published", ["approve"], "There is nothing to approve", "follow-up, delete"],
    ["published", ["pause"], "Cannot pause", "follow-up, delete"],
    ["published", ["cancel"], "cannot be cancelled", "follow-up, delete"],
    ["published", ["apply"], "is published on the branch agent/greet", "nightshift diff"],
    ["asks", ["approve"], "it waits for answers", "answer, cancel"],
    ["asks", ["resume"], "Cannot resume", "answer, cancel"],
    ["asks", ["retry"], "it waits for a person", "answer, cancel"],
    ["asks", ["apply"], "it is waiting", "answer, cancel"],
    ["runs", ["merge"], "There is nothing to merge", "pause, cancel, kill"],
    ["runs", ["revise", "more"], "There is nothing to revise", "pause, cancel, kill"],
    ["runs", ["retry"], "it is running", "pause, cancel, kill"],
  ])(
    "%s: %j is refused with a sentence that names the possible actions",
    async (name, [verb = "", ...rest], ...said) => {
      const { code, stdout, stderr } = await user.run(verb, tasks[name] ?? "", ...rest);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      for (const text of said) expect(stderr).toContain(text);
      expect(stderr).not.toContain("unexpected error");
    },
  );

  test.each([
    [["show", "task_"], "is ambiguous"],
    [["show", "task_zzzzzzzz"], "There is no task"],
    [["answer", "asks", "nope=1"], 'There is no question "nope"'],
    [["answer", "asks", "nope"], "is not a valid answer"],
    [["choose", "task_zzzzzzzz", "a"], "There is no task"],
    [["submit", ""], "description is empty"],
    [["submit", "  \n"], "description is empty"],
  ])("%j is wrong usage", async (args, sentence) => {
    const { code, stdout, stderr } = await user.run(...args.map((arg) => tasks[arg] ?? arg));
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(sentence);
  });

  test("hostile text is only data: it is stored, shown and given to the agent, and nothing of it is executed", async () => {
    const pwned = join(user.repo.path, "pwned");
    const text = `"; touch ${pwned}; $(touch ${pwned}) \`touch ${pwned}\` 'quoted' \\ %s\nsecond line`;
    const task = await user.json<TaskJson>("submit", "--pipeline", "chore", "--wait", "--title", text, text);
    expect(task).toMatchObject({ status: "succeeded", description: text });
    const shown = await user.run("show", task.id);
    expect(shown.stdout).toContain(`$(touch ${pwned})`);
    const { stdout } = await user.run("diff", task.id);
    expect(stdout).toContain("hello.txt");
    await expect(writeFile(pwned, "", { flag: "wx" })).resolves.toBeUndefined();
  });
});
