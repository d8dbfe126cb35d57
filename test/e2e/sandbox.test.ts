import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ALICE, openNight, type Night, type NightOptions } from "../support/night.ts";

let night: Night | null = null;

async function open(options: NightOptions): Promise<Night> {
  night = await openNight({ userSettings: "sandbox: { mode: enforce }\n", ...options });
  return night;
}

afterEach(async () => {
  await night?.close();
  night = null;
  delete process.env["SHOP_TOKEN"];
});

const CHECK = 'checks: { test: { command: "sh test.sh" } }\n';

async function readTranscripts({ runs, wired }: Night, task: string): Promise<string> {
  const pages = (await runs(task)).map(({ id }) => wired.ports.runFiles.readTranscript(id, 0, 1_000_000));
  return (await Promise.all(pages)).flatMap(({ lines }) => lines.map(({ text }) => text)).join("\n");
}

describe("sandboxed chore", () => {
  it("is implemented, checked and published; the agent sees its workspace but none of Nightshift's files", async () => {
    const inside = await open({
      settings: `sandbox: { commands: [git] }\n${CHECK}`,
      agent: [
        "echo hello again >> greeting.txt",
        "git add -A && git commit -qm mine && git log --oneline | wc -l",
        "ls ../../../nightshift.db ../../../config.yaml ../../../daemon.json",
        "ls -a ../../.. ../.. ..",
        "id -u",
        "done_with 'changed it'",
      ].join("\n"),
    });
    const task = await inside.settled((await inside.submit()).id);
    expect(task).toMatchObject({ status: "succeeded", outcome: "published" });
    expect(await inside.published(task, "greeting.txt")).toBe("hello\nhello again");
    expect((await inside.runs(task.id)).map(({ sandbox }) => sandbox)).toEqual(["enforce", "enforce", null]);
    const output = await readTranscripts(inside, task.id);
    expect(output.split("\n")[0]).toBe("2");
    expect(output).not.toMatch(/nightshift\.db$|config\.yaml$|^0$/m);
    expect(output).toMatch(/^workspaces$/m);
  });

  it("is refused with a fix if the sandbox does not work on this machine", async () => {
    const { submit, settled, wired } = await open({ settings: CHECK });
    Object.assign(wired.ports.sandbox, {
      findProblem: async () => "bubblewrap is not installed. Run: apt-get install it",
    });
    const task = await settled((await submit()).id);
    expect(task).toMatchObject({ status: "failed", outcome: "sandbox_refused" });
    expect(task.reason).toContain("apt-get install");
  });

  it("is refused if it requests a folder that no run may access", async () => {
    const { submit, settled } = await open({ settings: `sandbox: { write: [/etc] }\n${CHECK}` });
    const task = await settled((await submit()).id);
    expect(task).toMatchObject({ status: "failed", outcome: "sandbox_refused" });
    expect(task.reason).toContain("/etc");
  });
});

describe("sandbox: network", () => {
  it("is limited to listed hosts, and each denial says how to allow the host", async () => {
    const requestScript = [
      'const { request } = require("node:http");',
      'const go = (path, method) => request({ host: "127.0.0.1", port: 3128, path, method })',
      '  .on("connect", (r) => console.log(path, r.statusCode)).on("response", (r) => console.log(path, r.statusCode))',
      '  .on("error", (e) => console.log(path, e.code)).end();',
      'go("evil.example:443", "CONNECT"); go("evil.example:443", "CONNECT"); go("127.0.0.1:22", "CONNECT");',
    ].join(" ");
    const { submit, settled, wired } = await open({
      settings: "sandbox: { network: [packages.example] }\n",
      agent: `node -e '${requestScript}'\necho x >> greeting.txt\ndone_with tried`,
    });
    const task = await settled((await submit()).id);
    expect(task.status).toBe("succeeded");
    const events = await wired.ports.store.events.listEvents({ after: 0, task: task.id, limit: 1000 });
    const denied = events.filter(({ type }) => type === "run.denied").map(({ summary }) => summary);
    expect(denied).toEqual([
      expect.stringMatching(
        /^denied: evil\.example:443; to allow it, add it to sandbox\.network and run nightshift trust.*\(2 times\)$/,
      ),
      expect.stringMatching(/^denied: 127\.0\.0\.1:22/),
    ]);
  });
});

function readAllFiles(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

describe("sandbox: denied file accesses", () => {
  it("are counted and reported", async () => {
    const refused = '{"type":"tool_result","id":"1","output":"EROFS: read-only file system, open x","failed":true}';
    const fine = '{"type":"tool_result","id":"2","output":"EROFS is a code","failed":false}';
    const { submit, settled, runs } = await open({
      agent: `echo '${refused}'; echo '${refused}'; echo '${fine}'; echo x >> greeting.txt; done_with tried`,
    });
    const task = await settled((await submit()).id);
    const [agent] = await runs(task.id);
    expect(agent?.payload?.["denied"]).toEqual([expect.stringMatching(/^denied: access to files outside/)]);
  });
});

describe("granted secret", () => {
  const token = ["shop", "9f31c0aa27", "e5d84b16"].join("-");
  const forms = [
    token,
    Buffer.from(token).toString("base64"),
    Buffer.from(token).toString("hex"),
    Buffer.from(`user:${token}`).toString("base64"),
  ];

  it("is available to its role and is not left on the disk", async () => {
    process.env["SHOP_TOKEN"] = token;
    const leak = [
      'echo "plain $SHOP_TOKEN"',
      'printf %s "$SHOP_TOKEN" | base64',
      'printf "user:%s" "$SHOP_TOKEN" | base64',
      'printf %s "$SHOP_TOKEN" | od -An -tx1 | tr -d " \\n"; echo',
      'echo "to stderr $SHOP_TOKEN" >&2',
      "echo x >> greeting.txt",
      '[ -n "$SHOP_TOKEN" ] && done_with "used $SHOP_TOKEN"',
    ].join("\n");
    const inside = await open({
      settings: `secrets: { SHOP_TOKEN: { roles: [implement] } }\nchecks: { test: { command: 'echo "in checks: [$SHOP_TOKEN]"; sh test.sh' } }\n`,
      agent: leak,
    });
    const task = await inside.settled((await inside.submit()).id);
    expect(task.status).toBe("succeeded");
    const output = await readTranscripts(inside, task.id);
    expect(output).toContain("plain [redacted: SHOP_TOKEN]");
    const bytes = readAllFiles(inside.home);
    expect(bytes.length).toBeGreaterThan(10_000);
    for (const form of forms) expect(bytes).not.toContain(form.replace(/=+$/, ""));
    expect(bytes).toContain("in checks: []");
  });

  it("is not accepted in a commit; the agent must remove it", async () => {
    process.env["SHOP_TOKEN"] = token;
    const { submit, settled, runs, published } = await open({
      settings: `secrets: { SHOP_TOKEN: { roles: [implement] } }\n${CHECK}`,
      agent:
        '[ "$N" = 1 ] && echo "key: $SHOP_TOKEN" > config.txt || echo "key: from the environment" > config.txt\ndone_with "try $N"',
    });
    const task = await settled((await submit()).id);
    expect((await runs(task.id)).map(({ outcome }) => outcome)).toEqual([
      "implemented",
      "policy_failed",
      "implemented",
      "checks_passed",
      "published",
    ]);
    expect(await published(task, "config.txt")).toBe("key: from the environment");
  });
});

describe("diff policy: weakened test", () => {
  const files = { "src/add.test.js": 'test("adds", () => {\n  expect(add(1, 2)).toBe(3);\n});\n' };
  const weaken =
    "mkdir -p src; printf 'test.skip(\"adds\", () => {\\n  expect(add(1, 2)).toBe(3);\\n});\\n' > src/add.test.js";

  it("is refused with its line; an agent that fixes it continues", async () => {
    const { submit, settled, runs, home } = await open({
      files,
      agent: `[ "$N" = 1 ] && { ${weaken}; } || { git checkout -q origin/main -- src/add.test.js; echo x >> greeting.txt; }\ndone_with "try $N"`,
    });
    const task = await settled((await submit()).id);
    const all = await runs(task.id);
    expect(all.map(({ outcome }) => outcome)).toEqual([
      "implemented",
      "policy_failed",
      "implemented",
      "checks_passed",
      "published",
    ]);
    expect(readFileSync(join(home, "runs", all[2]?.id ?? "", "prompt.md"), "utf8")).toMatch(
      /weakened_test src\/add\.test\.js:1/,
    );
  });

  it("waits for a person if the agent insists, and passes if the person approves", async () => {
    const opened = await open({ files, agent: `${weaken}\ndone_with "it had to go"` });
    const waiting = await opened.settled((await opened.submit()).id);
    expect(waiting).toMatchObject({ status: "waiting", waitingFor: { kind: "choice" } });
    expect(JSON.stringify(waiting.waitingFor)).toMatch(/src\/add\.test\.js:1/);
    await opened.commands.choose(waiting.id, { option: "checking", note: "it tested nothing" }, ALICE);
    const task = await opened.until(waiting.id, ({ status }) => status === "succeeded");
    const checks = await opened.wired.ports.store.tasks.listChecks(task.id);
    const policy = checks.filter(({ name, status }) => name === "diff-policy" && status === "failed");
    expect(policy.map(({ severity }) => severity)).toEqual(["error", "error", "warning"]);
  });

  it("stays refused if the agent makes it worse", async () => {
    const { submit, settled, runs } = await open({
      files,
      settings: "repair_attempts: 1\n",
      agent: `[ "$N" = 1 ] && { ${weaken}; } || rm src/add.test.js\ndone_with "try $N"`,
    });
    const task = await settled((await submit()).id);
    expect((await runs(task.id)).map(({ outcome }) => outcome)).toEqual([
      "implemented",
      "policy_failed",
      "implemented",
      "policy_failed",
    ]);
    expect(task.status).toBe("failed");
    expect(task.reason).toMatch(/weakened_test src\/add\.test\.js/);
  });
});

describe("sandbox: failures that it causes", () => {
  it("do not count as a check that also fails on the base", async () => {
    const { submit, settled } = await open({
      settings: 'sandbox: { commands: [git] }\nchecks: { test: { command: "perl -e 1" } }\n',
    });
    const task = await settled((await submit()).id);
    expect(task).toMatchObject({ status: "failed", outcome: "sandbox_refused" });
    expect(task.reason).toMatch(/"test" needs perl.*sandbox\.commands/);
  });

  it("setup without network fails fast, and the reason is reported", async () => {
    const ask =
      'require("node:http").request({ host: "127.0.0.1", port: 3128, method: "CONNECT", path: "packages.example:443" })' +
      '.on("connect", (r) => process.exit(r.statusCode === 403 ? 7 : 0)).end()';
    const { submit, settled } = await open({
      settings: `workspace: { setup: "node -e '${ask.replaceAll('"', '\\"')}'" }\n`,
    });
    const task = await settled((await submit()).id);
    expect(task).toMatchObject({ status: "failed", outcome: "setup_failed" });
    expect(task.reason).toMatch(/exited with code 7; denied: packages\.example:443/);
  });
});

describe("sandbox: setup", () => {
  it("gets none of the agent's secrets", async () => {
    process.env["SHOP_TOKEN"] = "shop-".repeat(4);
    const inside = await open({
      settings: `secrets: { SHOP_TOKEN: { roles: [implement] } }\nworkspace: { setup: 'test -z "$SHOP_TOKEN"' }\n`,
      agent: '[ -n "$SHOP_TOKEN" ] && echo hello again >> greeting.txt && done_with ok',
    });
    expect(await inside.settled((await inside.submit()).id)).toMatchObject({ status: "succeeded" });
  });
});
