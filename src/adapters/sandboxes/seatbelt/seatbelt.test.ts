import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Denial, SandboxContext, SandboxPolicy } from "../../../ports/sandbox.ts";
import { TEST_LIMITS, testPolicy } from "../../../testing/policy.ts";
import { decide, readAll, texts } from "../../../testing/read-sbpl.ts";
import { seatbelt, SEATBELT_LIMITATIONS } from "./seatbelt.ts";

let root: string;
let policy: SandboxPolicy;
let context: SandboxContext;
let denials: Denial[];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-seatbelt-")));
  for (const name of ["ws", "run", "bin"]) mkdirSync(join(root, name));
  denials = [];
  context = {
    dir: join(root, "run"),
    socket: join(root, "run", "s"),
    cache: join(root, "cache"),
    run: "r1",
    onDenied: (denial) => denials.push(denial),
  };
  policy = testPolicy(join(root, "ws"), {
    env: { PATH: join(root, "bin"), HOME: join(root, "ws"), BASE: "http://127.0.0.1:3129/v1" },
    limits: { ...TEST_LIMITS, fileBytes: 1_000_000 },
  });
  for (const name of ["tool", "agent"]) {
    writeFileSync(join(root, "bin", name), "#!/bin/sh\n");
    chmodSync(join(root, "bin", name), 0o755);
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function makeLongNames(): string[] {
  const paths = Array.from({ length: 250 }, (_, at) => join(root, "ws", `${"d".repeat(200)}${at}`));
  for (const path of paths) mkdirSync(path);
  return paths;
}

function profileOf(argv: readonly string[]): string {
  const option = argv.indexOf("/usr/bin/sandbox-exec") + 1;
  const value = argv[option + 1] ?? "";
  return argv[option] === "-f" ? readFileSync(value, "utf8") : value;
}

test("seatbelt: starts the command through sandbox-exec with the policy's environment", async () => {
  const { command, close } = await seatbelt.open(policy, ["agent", "--flag", "a b", ""], context);
  expect(command.argv.slice(-5)).toEqual(["--", join(root, "bin/agent"), "--flag", "a b", ""]);
  expect(command.argv[6]).toBe("/usr/bin/sandbox-exec");
  expect(command).toMatchObject({ env: policy.env, cwd: policy.cwd, inputs: [], statusPipes: 0, isIsolating: false });
  expect(seatbelt.name).toBe("seatbelt");
  await close();
  await close();
});

test.skipIf(!existsSync("/bin/dash")).each([
  [null, "unlimited"],
  [30, "30"],
])("seatbelt: limits file size and processor time (%s) before the command starts", async (cpuSeconds, expected) => {
  const { command } = await seatbelt.open({ ...policy, limits: { ...policy.limits, cpuSeconds } }, ["agent"], context);
  const [shell, ...rest] = command.argv.slice(0, 6);
  const args = [...rest, "/bin/dash", "-c", "ulimit -f; ulimit -c; ulimit -t"];
  expect(execFileSync(shell ?? "", args, { encoding: "utf8" })).toBe(`1954\n0\n${expected}\n`);
});

test("seatbelt: uses real paths, also for protected ones, and protects missing ones", async () => {
  symlinkSync(join(root, "ws"), join(root, "link"));
  mkdirSync(join(root, "ws", "real"));
  symlinkSync(join(root, "ws", "real"), join(root, "ws", "alias"));
  const request = {
    ...policy,
    cwd: join(root, "link"),
    own: { write: [join(root, "link")], read: [] },
    protect: [join(root, "link", "alias"), join(root, "ws", "missing")],
  };
  const { command } = await seatbelt.open(request, ["agent"], context);
  const rules = readAll(profileOf(command.argv));
  const protectedPaths = rules
    .filter((rule) => Array.isArray(rule) && rule.slice(0, 2).join(" ") === "deny file-write*")
    .flatMap(texts);
  expect(protectedPaths).toEqual(["alias", "real", "missing"].map((name) => join(root, "ws", name)));
  expect(rules.flatMap(texts)).not.toContain(join(root, "link"));
});

test("seatbelt: stores a long profile in the job's directory and removes it", async () => {
  const read = makeLongNames();
  const { command, close } = await seatbelt.open({ ...policy, read }, ["agent"], context);
  expect(command.argv.slice(6, 9)).toEqual(["/usr/bin/sandbox-exec", "-f", join(root, "run", "profile.sb")]);
  expect(readAll(profileOf(command.argv)).flatMap(texts)).toContain(read[249]);
  await close();
  expect(existsSync(context.dir)).toBe(false);
});

test("seatbelt: allows listed programs, their interpreters and the command, but no missing ones", async () => {
  const { command } = await seatbelt.open({ ...policy, commands: ["tool", "nothing"] }, ["agent"], context);
  const profile = profileOf(command.argv);
  for (const name of ["tool", "agent"]) expect(decide(profile, "process-exec", join(root, "bin", name))).toBe("allow");
  expect(decide(profile, "process-exec", realpathSync("/bin/sh"))).toBe("allow");
  expect(decide(profile, "process-exec", "/usr/bin/curl")).toBe("deny");
  // The directory of scripts that explain refused programs.
  expect(command.env["PATH"]).toContain(context.cache);
});

test("seatbelt: rejects forbidden paths", async () => {
  await expect(seatbelt.open({ ...policy, write: ["/"] }, ["agent"], context)).rejects.toMatchObject({
    kind: "forbidden",
  });
});

test("seatbelt: passes the proxy's port and token to the command, and refuses clients without the token", async () => {
  const { command, close } = await seatbelt.open({ ...policy, network: ["example.com"] }, ["agent"], context);
  const proxy = new URL(command.env["HTTPS_PROXY"] ?? "");
  expect(proxy.hostname).toBe("localhost");
  expect(proxy.password).toMatch(/^[0-9a-f]{48}$/);
  expect(profileOf(command.argv)).not.toContain(proxy.password);
  expect(profileOf(command.argv)).toContain(`(remote ip "localhost:${proxy.port}")`);
  const ask = async (token: string): Promise<string> => {
    const client = connect(Number(proxy.port), "127.0.0.1");
    const credentials = Buffer.from(`nightshift:${token}`).toString("base64");
    client.write(`CONNECT evil.example:443 HTTP/1.1\r\nProxy-Authorization: Basic ${credentials}\r\n\r\n`);
    const [answer] = (await once(client, "data")) as [Buffer];
    client.destroy();
    return answer.toString().slice(0, 12);
  };
  expect([await ask("wrong"), denials.length]).toEqual(["HTTP/1.1 407", 0]);
  expect([await ask(proxy.password), denials[0]?.target]).toEqual(["HTTP/1.1 403", "evil.example:443"]);
  await close();
  await expect(once(connect(Number(proxy.port), "127.0.0.1"), "connect")).rejects.toMatchObject({
    code: "ECONNREFUSED",
  });
});

test("seatbelt: forwards a loopback port to the gateway's socket, also without network", async () => {
  const socket = join(root, "gw.sock");
  const gateway = createServer((peer) => peer.end("gateway"));
  gateway.listen(socket);
  await once(gateway, "listening");
  const { command, close } = await seatbelt.open({ ...policy, gateway: socket }, ["agent"], context);
  const port = Number(/^http:\/\/localhost:(\d+)\/v1$/.exec(command.env["BASE"] ?? "")?.[1]);
  expect(profileOf(command.argv)).toContain(`(remote ip "localhost:${port}")`);
  const client = connect(port, "127.0.0.1");
  const [answer] = (await once(client, "data")) as [Buffer];
  expect(answer.toString()).toBe("gateway");
  expect(command.env).not.toHaveProperty("HTTPS_PROXY");
  await close();
  await close();
  const late = connect(port, "127.0.0.1");
  await expect(once(late, "connect")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  gateway.close();
});

test("seatbelt: leaves nothing open if the profile cannot be written", async () => {
  const odd = join(root, "ws", "\u{1F989}".slice(0, 1));
  const request = { ...policy, network: ["example.com"], protect: [odd], own: { write: [policy.cwd], read: [] } };
  mkdirSync(odd);
  await expect(seatbelt.open({ ...request, cwd: policy.cwd }, ["agent"], context)).rejects.toMatchObject({
    kind: "forbidden",
  });
  expect(existsSync(context.dir)).toBe(false);
});

test("seatbelt: distinguishes a failed sandbox start from a failed command", async () => {
  const { problem } = await seatbelt.open(policy, ["agent"], context);
  expect(problem("", "sandbox-exec: sandbox_apply: Operation not permitted\n")).toContain("Operation not permitted");
  expect(problem("", "nightshift: 1: ulimit: bad number\n")).toContain("ulimit: bad number");
  expect(problem("", "agent: sandbox-exec: no\n")).toBeNull();
});

test("seatbelt: describes its limitations in complete sentences", () => {
  expect(SEATBELT_LIMITATIONS.length).toBeGreaterThan(5);
  for (const sentence of SEATBELT_LIMITATIONS) expect(sentence).toMatch(/^[A-Za-z].*\.$/);
});
