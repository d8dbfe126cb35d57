import { chmod, readFile, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createUser, pollUntil, type User } from "../../support/cli-user.ts";
import { hasScript, runOnTerminal } from "../../support/terminal.ts";

let user: User;

beforeAll(async () => {
  user = await createUser();
});

afterAll(async () => {
  await user.cleanUp();
});

interface Opened {
  readonly url: string;
  readonly until: string;
  readonly opened: boolean;
}

async function redeem(url: string): Promise<number> {
  const { origin, hash } = new URL(url);
  const response = await fetch(`${origin}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin },
    body: JSON.stringify({ code: hash.slice(1) }),
  });
  return response.status;
}

/** A browser that writes the address it is started with to a file. */
async function installBrowser(): Promise<{ readonly program: string; readonly seen: string }> {
  const [program, seen] = [join(user.repo.path, "browser"), join(user.repo.path, "opened.txt")];
  await writeFile(program, `#!/bin/sh\nprintf %s "$1" > "${seen}.new" && mv "${seen}.new" "${seen}"\n`);
  await chmod(program, 0o755);
  return { program, seen };
}

it("open: starts the daemon and, without a terminal, prints a link that works once", async () => {
  const { code, stdout, stderr } = await user.run("open");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in#[\w-]{43}\n$/);
  expect(stderr).toContain("This is not a terminal, so no browser was opened.");
  expect(await redeem(stdout.trim())).toBe(200);
  expect(await redeem(stdout.trim())).toBe(403);
});

it("open --json: the link with its expiry, and nothing else on stdout", async () => {
  const link = await user.json<Opened>("open");
  expect(link.opened).toBe(false);
  expect(Date.parse(link.until)).toBeGreaterThan(Date.now());
  expect(await redeem(link.url)).toBe(200);
});

it("open --for: a link for another person, only if that person has a token", async () => {
  const unknown = await user.run("open", "--for", "ada");
  expect(unknown.code).not.toBe(0);
  expect(unknown.stderr).toContain('There is no token for "ada"');
  await user.run("token", "add", "ada", "--may", "submit");
  const { stdout, stderr } = await user.run("open", "--for", "ada");
  expect(stderr).toContain("signs the browser in as ada");
  expect(await redeem(stdout.trim())).toBe(200);
});

it("open: an unknown task is refused, and no link is made", async () => {
  const { code, stdout } = await user.run("open", "task_unknown");
  expect(code).not.toBe(0);
  expect(stdout).toBe("");
});

it.runIf(hasScript)("open: on a terminal, starts the browser with the link and does not print it", async () => {
  const { program, seen } = await installBrowser();
  const { output, code } = await runOnTerminal(user, ["open"], { BROWSER: program }).end();
  expect(code).toBe(0);
  expect(output).toContain("Opened the page in your browser");
  expect(output).not.toContain("#");
  await pollUntil(async () => existsSync(seen), Boolean);
  expect(await redeem(await readFile(seen, "utf8"))).toBe(200);
});

it.runIf(hasScript)("open: a browser that cannot be started is reported with the link", async () => {
  const { output, code } = await runOnTerminal(user, ["open"], { BROWSER: "/no/such/browser" }).end();
  expect(code).toBe(0);
  expect(output).toContain("is missing, so no browser was opened");
  expect(output).toContain("/sign-in#");
});

it.runIf(hasScript)("start: shows a sign-in link on a terminal, and none in a pipe", async () => {
  const { output } = await runOnTerminal(user, ["start"]).end();
  expect(output).toContain("nightshift open");
  expect(output).toContain("/sign-in#");
  const piped = await user.run("start");
  expect(piped.stdout + piped.stderr).not.toContain("/sign-in");
});

it("start: the daemon keeps its port, and a browser stays signed in across a restart", async () => {
  const { url } = await user.json<Opened>("open");
  const { origin, hash } = new URL(url);
  const response = await fetch(`${origin}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin },
    body: JSON.stringify({ code: hash.slice(1) }),
  });
  const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
  await user.run("stop");
  await user.run("start");
  expect((await fetch(`${origin}/api/v1/session`, { headers: { cookie } })).status).toBe(200);
});

it("server in a project's file is refused with the file where it belongs", async () => {
  await user.repo.commit({ "nightshift.yaml": "project: shop\nserver: { port: 4816 }\n" });
  const { code, stderr } = await user.run("trust", "--yes");
  expect(code).not.toBe(0);
  expect(stderr).toContain("server: this key is allowed only in config.yaml");
});
