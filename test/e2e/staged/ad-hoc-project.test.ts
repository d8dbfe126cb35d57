import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createUser, type User } from "../../support/cli-user.ts";

const PLAN = {
  outcome: "plan_complete",
  summary: "Greet.",
  prompt: "Greet.",
  tools: ["Bash"],
  directories: ["."],
  needs_git: false,
  estimate: { tokens: 1, minutes: 1 },
  reasoning: "One file.",
};
const AGENT = `#!/bin/sh
cat > /dev/null
case $NIGHTSHIFT_ROLE in
plan) echo '${JSON.stringify(PLAN)}' > "$NIGHTSHIFT_OUTCOME_FILE" ;;
execute) echo hello > hello.txt; echo '{"outcome":"completed","summary":"done","result":"Done."}' > "$NIGHTSHIFT_OUTCOME_FILE" ;;
esac
`;

let user: User;
let folder: string;

beforeAll(async () => {
  user = await createUser();
  const program = join(user.repo.path, "executor.sh");
  await writeFile(program, AGENT);
  await chmod(program, 0o755);
  const agent = `agent: mine\nagents:\n  mine: { kind: command, command: [${JSON.stringify(program)}] }\n`;
  await writeFile(join(user.home, "config.yaml"), `sandbox: { mode: none }\n${agent}`);
  folder = join(user.repo.path, "notes");
  await mkdir(join(folder, "2026"), { recursive: true });
  await writeFile(join(folder, "todo.txt"), "todo\n");
  // As root, the agent runs as another user.
  await chmod(folder, 0o777);
}, 60_000);
afterAll(() => user.cleanUp(), 60_000);

describe("submit in a directory that is no project", { timeout: 60_000 }, () => {
  it("submits nothing without an answer, and says how to go on", async () => {
    const { code, stderr } = await user.runIn(folder, "submit", "Greet");
    expect(code).toBe(2);
    expect(stderr).toContain(`${folder} is not in a git repository, so the agents would work directly in it.`);
    expect(stderr).toContain("Run it again with --yes");
    expect(await user.json("projects")).toEqual([]);
  });

  it("registers it with --yes and works in it, and later commands find it, also in a subfolder", async () => {
    const submitted = await user.runIn(folder, "submit", "--yes", "--auto-approve", "--wait", "Greet");
    expect(submitted.code, submitted.stdout + submitted.stderr).toBe(0);
    expect(submitted.stderr).toContain(`Registered ${folder} as the project notes.`);
    expect(await readFile(join(folder, "hello.txt"), "utf8")).toBe("hello\n");
    await rm(join(folder, "hello.txt"));
    const again = await user.runIn(join(folder, "2026"), "submit", "--auto-approve", "--wait", "Greet");
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).not.toContain("Registered");
    expect(await readFile(join(folder, "hello.txt"), "utf8")).toBe("hello\n");
  });

  it("registers and works in an empty directory", async () => {
    const empty = join(user.repo.path, "empty");
    await mkdir(empty);
    await chmod(empty, 0o777);
    const { code, stderr } = await user.runIn(empty, "submit", "--yes", "--auto-approve", "--wait", "Greet");
    expect(code, stderr).toBe(0);
    expect(await readFile(join(empty, "hello.txt"), "utf8")).toBe("hello\n");
    await user.run("projects", "--remove", "empty");
  });

  it("does not register a directory that contains Nightshift's own data", async () => {
    const { code, stderr } = await user.runIn(user.repo.path, "submit", "--yes", "Greet");
    expect(code).toBe(2);
    expect(stderr).toContain("which is Nightshift's own data");
    expect(await user.json<readonly unknown[]>("projects")).toHaveLength(1);
  });
});

describe("submit in a folder of a repository", { timeout: 60_000 }, () => {
  it("belongs to the repository's project, and says that a nightshift.yaml of the folder has no effect", async () => {
    const { checkout } = user.repo;
    const sub = join(checkout, "packages/shop");
    await mkdir(sub, { recursive: true });
    await writeFile(join(sub, "nightshift.yaml"), "project: other\n");
    const first = await user.runIn(sub, "submit", "--yes", "--detach", "Greet");
    expect(first.code, first.stderr).toBe(0);
    expect(first.stderr).toContain(`Registered ${checkout} as the project`);
    expect(first.stderr).toContain(`${join(sub, "nightshift.yaml")} has no effect`);
    const again = await user.runIn(sub, "submit", "--detach", "Greet again");
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).not.toContain("Registered");
    const projects = await user.json<readonly { readonly path: string }[]>("projects");
    expect(projects.filter(({ path }) => path.startsWith(checkout))).toHaveLength(1);
  });
});
