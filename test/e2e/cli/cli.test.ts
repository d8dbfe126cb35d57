import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ProjectJson, TaskJson } from "../../../src/http/client/client.ts";
import { BIN, createUser, waitForExit, PROJECT_FILE, pollUntil, type User } from "../../support/cli-user.ts";

let user: User;

beforeAll(async () => {
  user = await createUser();
});

afterAll(async () => {
  await user.cleanUp();
});

const show = (id: string): Promise<TaskJson> => user.json<TaskJson>("show", id);
const submitSlow = (title: string): Promise<TaskJson> =>
  user.json<TaskJson>("submit", "--pipeline", "chore", "--title", title, "Work SLOWLY");
const waitForStatus = (id: string, status: string): Promise<TaskJson> =>
  pollUntil(
    () => show(id),
    (task) => task.status === status && (status !== "running" || task.runs.at(-1)?.status === "running"),
  );
// oxlint-disable-next-line no-control-regex -- the test looks for escape sequences
const ESCAPE = /\u001b/;

describe("CLI: projects", () => {
  test("init detects the project, writes nightshift.yaml and registers it", async () => {
    const result = await user.run("init");
    expect(result).toMatchObject({ code: 0 });
    expect(result.stdout).toContain("nightshift.yaml");
    const file = await readFile(join(user.repo.checkout, "nightshift.yaml"), "utf8");
    expect(file).toContain("default_branch: main");
    expect(file).toContain("make test");
    expect(await user.json<ProjectJson[]>("projects")).toMatchObject([
      { name: "checkout", path: user.repo.checkout, remote: user.repo.remote },
    ]);
    expect(await user.json("projects", "--remove", "checkout")).toEqual({ removed: "checkout" });
  });

  test("a changed nightshift.yaml takes effect after trust", async () => {
    await writeFile(join(user.repo.checkout, "nightshift.yaml"), PROJECT_FILE(user.repo.path));
    // The file is not as generated any more, so a person must accept it.
    const initialised = await user.run("init");
    expect(initialised.code).toBe(2);
    expect(initialised.stderr).toContain("agents.mine");
    expect(initialised.stderr).toContain("nightshift trust --yes");
    const refused = await user.run("submit", "--pipeline", "chore", "x");
    expect(refused.stderr).toContain("Not accepted, so the previously accepted values are used");
    expect(refused.stderr).toContain('The checks of "shop" are not accepted yet');
    const withoutKey = await user.run("submit", "--pipeline", "chore", "--without-checks", "x");
    expect(withoutKey.stderr).toContain("nightshift auth add ANTHROPIC_API_KEY");
    // The new agent is not accepted yet, and the previous one has no key. The scripted one needs none.
    const submitted = await user.run("submit", "--pipeline", "chore", "--agent", "scripted", "--without-checks", "x");
    const id = /^task_\w+/.exec(submitted.stdout)?.[0] ?? "";
    expect((await user.run("show", id)).stdout).toContain("the project's checks are not accepted: ");
    await user.json("kill", id);
    expect(await user.run("trust", "--yes")).toMatchObject({ code: 0, stdout: "Accepted the permissions for shop.\n" });
    expect((await user.run("trust")).stdout).toContain("Nothing to accept");
  });

  test("doctor finds no errors, with a warning about the missing sandbox", async () => {
    const result = await user.run("doctor");
    expect(result).toMatchObject({ code: 0 });
    expect(result.stdout).toMatch(/! sandbox +NONE/);
    expect(result.stdout).toMatch(/✓ push +would be accepted/);
    const findings = await user.json<{ name: string; ok: string }[]>("doctor");
    expect(findings).toContainEqual(expect.objectContaining({ name: "agent mine", ok: "yes" }));
    expect(findings.filter(({ ok }) => ok === "no")).toEqual([]);
  });
});

describe("CLI: tasks", () => {
  let id: string;

  test("submit --wait prints progress on stderr and the result on stdout", async () => {
    const result = await user.run(
      "submit",
      "--pipeline",
      "chore",
      "Write \u001b[31mhello\u001b]0;owned\u0007 into hello.txt",
      "--wait",
    );
    expect(result).toMatchObject({ code: 0 });
    expect(result.stderr).toContain("implement started (attempt 1)");
    expect(result.stderr).toMatch(/^Not part of the task: 1 uncommitted file\. The task starts from origin\/main at /m);
    expect(result.stdout).toMatch(/^task_\w+ {2}succeeded in done {2}Write hello into hello\.txt\n/);
    expect(`${result.stdout}${result.stderr}`).not.toMatch(ESCAPE);
    id = /^task_\w+/.exec(result.stdout)?.[0] ?? "";
    expect(await user.repo.git("ls-remote", "--heads", "origin")).toContain("agent/write-hello-into-hello");
  });

  test("queue, show, display, diff and results are consistent and accept any unique prefix", async () => {
    const prefix = id.slice(0, 9);
    const [queue, shown, displayed, diff, results] = await Promise.all([
      user.run("queue"),
      user.run("show", prefix),
      user.run("display", prefix),
      user.run("diff", prefix),
      user.run("results", prefix, "--show-output"),
    ]);
    expect(queue.stdout).toMatch(new RegExp(`^${id} .*chore .*done .*succeeded`, "m"));
    expect(shown.stdout).toContain("nightshift delete");
    expect(shown.stdout).toMatch(/content +passed +error/);
    expect(shown.stdout).toMatch(/no-secrets +passed +–/);
    expect(shown.stdout).toMatch(/, work [0-9a-f]{12}, published [0-9a-f]{12}\n/);
    expect(shown.stdout).toMatch(/ implement .* none$/m);
    expect(displayed.stdout).toContain("\n│ reading the task\n");
    expect(displayed.stdout).toContain("checks/content.log");
    expect(displayed.stdout).not.toContain("was removed");
    expect(diff.stdout).toContain("+++ b/hello.txt\n@@ -0,0 +1 @@\n+hello\n");
    expect(results.stdout).toMatch(/hello\.txt +created/);
    expect(results.stdout).toContain("\n│ reading the task\n");
    for (const result of [queue, shown, displayed, diff, results]) expect(result.stdout).not.toMatch(ESCAPE);
  });

  test("--json prints one value on stdout for every command", async () => {
    const commands = [
      ["queue"],
      ["show", id],
      ["display", id],
      ["diff", id],
      ["results", id],
      ["status"],
      ["costs"],
      ["agents"],
      ["projects"],
      ["token"],
      ["trust"],
      ["start"],
    ];
    const results = await Promise.all(commands.map((args) => user.run(...args, "--json")));
    for (const [index, { code, stdout, stderr }] of results.entries()) {
      expect({ command: commands[index], code, stderr }).toEqual({ command: commands[index], code: 0, stderr: "" });
      expect(JSON.parse(stdout), String(commands[index])).toBeTypeOf("object");
    }
  });

  test("display --json prints one list, also with --follow", async () => {
    const list = await user.json<unknown[]>("display", id, "--follow");
    expect(list).toContainEqual(expect.objectContaining({ command: "agent", text: "reading the task" }));
    expect(await user.json<unknown[]>("display", id)).toEqual(list);
  });

  test("answer replies to an agent's question", async () => {
    const asked = await user.run("submit", "--pipeline", "chore", "--agent", "asker", "Greet", "--wait");
    expect(asked).toMatchObject({ code: 3 });
    expect(asked.stdout).toContain("whom: Whom should greet.sh greet? [night shift | day shift]");
    const waiting = /^task_\w+/.exec(asked.stdout)?.[0] ?? "";
    expect((await user.run("answer", waiting, "who=x")).code).toBe(2);
    const answered = await user.run("answer", waiting, "whom=night shift", "--wait");
    expect(answered).toMatchObject({ code: 0 });
    expect(answered.stderr).not.toContain("attempt 1)\nimplement");
  });
});

describe("CLI: failed checks", () => {
  test("findings are printed once in the summary, in show and in results", async () => {
    const file = join(user.repo.checkout, "nightshift.yaml");
    const good = await readFile(file, "utf8");
    await writeFile(
      file,
      good.replace("test -s README.md", "test ! -e hello.txt || { echo 'not ok: 1 is not 2'; false; }"),
    );
    await user.run("trust", "--yes");
    const result = await user.run("submit", "--pipeline", "chore", "--title", "wrong", "Write hello", "--wait");
    expect(result).toMatchObject({ code: 3 });
    expect(result.stdout).toMatch(/Findings\n {2}content failed in run_\w+\n {4}not ok: 1 is not 2\n/);
    const reason = /reason: (.+)/.exec(result.stdout)?.[1] ?? "";
    expect(reason).not.toBe("");
    expect(result.stderr).not.toContain(`failed: ${reason}`);
    const id = /^task_\w+/.exec(result.stdout)?.[0] ?? "";
    const [shown, results] = await Promise.all([user.run("show", id), user.run("results", id)]);
    for (const { stdout } of [shown, results]) expect(stdout).toContain("    not ok: 1 is not 2\n");
    expect(await user.json("results", id)).toMatchObject({
      checks: expect.arrayContaining([expect.objectContaining({ name: "content", status: "failed" })]),
      denials: [],
    });
    await writeFile(file, good);
    await user.run("trust", "--yes");
  });
});

describe("CLI: running tasks", () => {
  test("a task can be paused and resumed, survives a stopped daemon and is adopted by the next one", async () => {
    const { id } = await submitSlow("survivor");
    const before = await waitForStatus(id, "running");
    expect(await user.json("pause", id)).toMatchObject({ status: "paused" });
    expect(await user.json("resume", id)).toMatchObject({ status: "running" });
    const stopped = await user.run("stop");
    expect(stopped.stdout).toContain(`1 run left running under their supervisors: ${before.runs[0]?.id}`);
    expect(await user.run("status", "--json")).toMatchObject({ code: 4, stdout: '{\n  "running": false\n}\n' });
    const started = await user.run("start", "--quiet");
    expect(started.stdout).toContain("The daemon is running");
    expect(started.stderr).toContain("! sandbox.mode is none");
    expect(await show(id)).toMatchObject({ status: "running", runs: [{ id: before.runs[0]?.id }] });
    const following = waitForExit(user.start("display", id, "--follow"));
    await writeFile(user.go, "");
    expect(await following).toMatchObject({ code: 0, stdout: expect.stringContaining("reading the task") });
    expect(await show(id)).toMatchObject({ status: "succeeded" });
    await rm(user.go);
  });

  test("Ctrl-C ends the wait but not the task; cancel, retry, kill and delete work", async () => {
    const child = user.start("submit", "--pipeline", "chore", "--title", "interrupted", "Work SLOWLY", "--wait");
    child.stderr?.on("data", (chunk: Buffer) => {
      if (chunk.includes("started (attempt 1)")) child.kill("SIGINT");
    });
    const result = await waitForExit(child);
    expect(result.code).toBe(130);
    const id = /(task_\w+) is still running/.exec(result.stderr)?.[1] ?? "";
    await waitForStatus(id, "running");
    expect((await user.run("delete", id)).code).toBe(1);
    await user.json("cancel", id);
    await waitForStatus(id, "cancelled");
    await user.json("retry", id, "--from", "implementing");
    await waitForStatus(id, "running");
    await user.json("kill", id);
    await waitForStatus(id, "cancelled");
    expect(await user.json("delete", id)).toEqual({ deleted: id });
    expect((await user.run("show", id)).code).toBe(2);
  });

  test("--wait continues after the daemon was restarted", async () => {
    const waiting = waitForExit(
      user.start("submit", "--pipeline", "chore", "--title", "follower", "Work SLOWLY", "--wait"),
    );
    const [task] = await pollUntil(
      () => user.json<TaskJson[]>("queue", "--status", "running"),
      (tasks) => tasks.length === 1,
    );
    await waitForStatus(task?.id ?? "", "running");
    await user.run("stop");
    await user.run("start");
    await writeFile(user.go, "");
    expect(await waiting).toMatchObject({ code: 0, stdout: expect.stringContaining("succeeded in done") });
    await rm(user.go);
  });
});

describe("CLI: invalid input has a clear message", () => {
  test.for<[name: string, args: string[], code: number, words: string]>([
    ["unknown command", ["quue"], 2, "Did you mean queue?"],
    ["unknown option", ["queue", "--stats", "x"], 2, "Did you mean --status?"],
    ["missing argument", ["show"], 2, "missing required argument 'task'"],
    ["unknown task", ["show", "task_zzz"], 2, "task_zzz"],
    ["impossible id", ["show", "../../etc"], 2, "must be an id"],
    ["unknown pipeline", ["submit", "--pipeline", "chor", "x"], 2, "chore"],
    ["unknown project", ["submit", "--project", "shoop", "x"], 2, "shop"],
    ["unknown status", ["queue", "--status", "runing"], 2, 'Did you mean "running"?'],
    ["no task at all", ["queue", "--limit", "0"], 2, "at least 1"],
    ["no day at all", ["schedule", "--days", "0"], 2, "at least 1"],
    ["unknown project of the queue", ["queue", "--project", "shoop"], 2, 'Did you mean "shop"?'],
    ["unknown project of the costs", ["costs", "--project", "shoop"], 2, "Registered: shop"],
    ["unknown project of the schedule", ["schedule", "--project", "shoop"], 2, "Registered: shop"],
    ["unknown project of the status", ["status", "--project", "shoop"], 2, 'Did you mean "shop"?'],
    ["unknown project of doctor", ["doctor", "--no-run", "--project", "shoop"], 2, 'Did you mean "shop"?'],
    ["unknown project of the agents", ["agents", "--project", "shoop"], 2, 'Did you mean "shop"?'],
    ["unknown project of the rules", ["rules", "--project", "shoop"], 2, "Registered: shop"],
    ["wrong use of a command", ["rules", "add"], 2, "nightshift rules add --help"],
    ["unknown agent", ["submit", "--pipeline", "chore", "--agent", "nobody", "x"], 2, "nobody"],
    ["empty text", ["submit", "--pipeline", "chore", " "], 2, "empty"],
    ["no text", ["submit", "--pipeline", "chore"], 2, "The task has no description."],
    ["missing file", ["submit", "--from", "nowhere.md"], 2, "nowhere.md"],
    ["bad duration", ["submit", "--timeout", "soon", "x"], 2, "30s"],
    ["no planning", ["submit", "--pipeline", "chore", "--planning-timeout", "1m", "x"], 2, "plans nothing"],
    ["bad budget", ["submit", "--budget", "-1", "x"], 2, "2.50"],
    ["bad port", ["start", "--port", "70000"], 2, "65535"],
    ["bad permission", ["token", "add", "bob", "--may", "everything"], 2, "submit, approve, admin"],
    ["bad day", ["costs", "--since", "yesterday"], 2, "2026-11-15"],
    ["nothing to approve", ["approve", "task"], 2, "task"],
    ["unconfirmed clear", ["clear"], 2, "clear --yes"],
  ])("%s", async ([, args, code, words]) => {
    const [plain, json] = await Promise.all([user.run(...args), user.run(...args, "--json")]);
    expect(plain).toMatchObject({ code, stdout: "" });
    expect(plain.stderr).toContain(words);
    expect(plain.stderr).not.toContain("bug in Nightshift");
    expect(json).toMatchObject({ code, stderr: "" });
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { message: expect.any(String), exit: code } });
  });

  test("a folder that is not a repository is refused", async () => {
    const elsewhere = join(user.repo.path, "elsewhere");
    await mkdir(elsewhere);
    for (const args of [["init"], ["submit", "x"], ["trust"]])
      expect(await user.runIn(elsewhere, ...args)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("git repository"),
      });
  });

  test("very long descriptions are shortened in output or refused, and NUL bytes are removed", async () => {
    const file = join(user.repo.path, "long.md");
    await writeFile(file, `Work SLOWLY\n${"x".repeat(900_000)}`);
    const task = await user.json<TaskJson>("submit", "--pipeline", "chore", "--from", file);
    expect((await user.run("show", task.id)).stdout.length).toBeLessThan(5_000);
    await user.json("kill", task.id);
    await writeFile(file, "x".repeat(2_000_000));
    expect(await user.run("submit", "--pipeline", "chore", "--from", file)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/1.?000.?000|too (long|large|big)/),
    });
    await writeFile(file, "a\0b");
    expect((await user.run("submit", "--pipeline", "chore", "--from", file, "--json")).stdout).not.toContain("\\u0000");
  });

  test("an invalid nightshift.yaml reports all problems with their lines", async () => {
    const file = join(user.repo.checkout, "nightshift.yaml");
    const good = await readFile(file, "utf8");
    await writeFile(file, "project: shop\nchecs: {}\nlimits: { concurrent_runs: many }\n");
    const result = await user.run("submit", "--pipeline", "chore", "x");
    expect(result.code).toBe(2);
    expect(result.stderr).toMatch(/nightshift\.yaml:2:\d+: .*did you mean `checks`/);
    expect(result.stderr).toMatch(/nightshift\.yaml:3:\d+: limits\.concurrent_runs/);
    expect(await user.run("doctor")).toMatchObject({ code: 1, stdout: expect.stringContaining("nightshift.yaml:2:") });
    await writeFile(file, good);
  });
});

describe("CLI: daemon", () => {
  test("tokens are shown once and can be revoked", async () => {
    const added = await user.run("token", "add", "alice", "--may", "submit,approve");
    expect(added.stdout).toMatch(/^\S{20,}\n$/);
    expect((await user.run("token")).stdout).toMatch(/alice +submit, approve/);
    const { url } = await user.json<{ url: string }>("status");
    const asAlice = (): Promise<number> =>
      fetch(`${url}/api/v1/tasks`, { headers: { authorization: `Bearer ${added.stdout.trim()}` } }).then(
        ({ status }) => status,
      );
    expect(await asAlice()).toBe(200);
    expect(await user.json("token", "remove", "alice")).toEqual({ removed: "alice" });
    expect(await asAlice()).toBe(401);
  });

  test.each([["queue", "--limit", "1"], ["status"]])("%s loads neither fetch nor a validator", async (...command) => {
    const script = `const urls = [];
      require("node:module").registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
      import(process.argv[1]).then((cli) => cli.main([...process.argv.slice(2), "--json"])).then((code) => console.error(JSON.stringify({ code, loaded: [...urls, ...process.moduleLoadList] })));`;
    const main = join(import.meta.dirname, "../../../src/cli/main.ts");
    const { stderr } = await promisify(execFile)(process.execPath, ["-e", script, main, ...command], { env: user.env });
    const { code, loaded } = JSON.parse(stderr) as { code: number; loaded: string[] };
    expect(code).toBe(0);
    expect(loaded.filter((name) => /undici|node_modules\/(?!commander\/|fast-(string|wrap)-)/.test(name))).toEqual([]);
    expect(loaded.filter((name) => name.includes("/src/cli/")).length).toBeGreaterThan(5);
  });

  test("completion works in bash and suggests task ids", async () => {
    const [task] = await user.json<TaskJson[]>("queue");
    const complete = async (...words: string[]): Promise<string> => {
      const script = `nightshift() { "${process.execPath}" "${BIN}" "$@"; }
        source <(nightshift completion bash); source <(nightshift completion bash)
        COMP_WORDS=(nightshift "$@"); COMP_CWORD=$#; COMP_LINE="nightshift $*"; COMP_POINT=\${#COMP_LINE}
        __nightshift_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return (await promisify(execFile)("bash", ["-c", script, "bash", ...words], { env: user.env })).stdout;
    };
    expect(await complete("disp")).toContain("display");
    expect(await complete("show", "")).toContain(task?.id);
    expect(await complete("queue", "--status", "ru")).toContain("running");
  });
});

test("CLI: clear asks for confirmation and removes everything", async () => {
  const other = await createUser();
  try {
    await other.run("init");
    expect(await other.run("clear", "--yes")).toMatchObject({ code: 0 });
    expect(existsSync(other.home)).toBe(false);
  } finally {
    await other.cleanUp();
  }
});
