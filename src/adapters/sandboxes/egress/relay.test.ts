import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Denial } from "../../../ports/sandbox.ts";
import { createTree } from "../../process/tree.ts";
import { openEgressProxy } from "./egress-proxy.ts";
import { proxyEnvironment, relayFile } from "./relay-inside.ts";

const NODE = realpathSync(process.execPath);
const RELAY = "/run/nightshift/relay.js";
const hasBubblewrap = existsSync("/usr/bin/bwrap");

let dir: string;
let relay: string;
let cleanUps: (() => unknown)[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "relay-"));
  // The name it has inside the sandbox.
  relay = join(dir, "relay.js");
  copyFileSync(relayFile(), relay);
  cleanUps = [];
});

afterEach(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  rmSync(dir, { recursive: true, force: true });
});

function run(...argv: string[]) {
  // A PATH with a directory that the user cannot enter would turn a missing program into a forbidden one.
  const env = { PATH: "/usr/bin:/bin" };
  return spawnSync(NODE, [relay, "--", ...argv], { encoding: "utf8", input: "from outside", env });
}

describe("relay: the end of the command", () => {
  it("is passed on, with its output and input", () => {
    expect(run("sh", "-c", "cat; echo oops >&2; exit 7")).toMatchObject({
      status: 7,
      stdout: "from outside",
      stderr: "oops\n",
    });
    expect(run("true")).toMatchObject({ status: 0, stderr: "" });
  });

  it.each(["SIGTERM", "SIGKILL", "SIGINT", "SIGHUP", "SIGUSR2"])("by %s looks the same from outside", (signal) => {
    expect(run("sh", "-c", `kill -${signal.slice(3)} $$`)).toMatchObject({ status: null, signal });
  });

  it("by a signal reserved by Node is reported as an exit code, like shells do", () => {
    expect(run("sh", "-c", "kill -USR1 $$")).toMatchObject({ status: 128 + 10, signal: null });
  });

  it("is an explanation if the program could not be started", () => {
    expect(run("no-such-program")).toMatchObject({
      status: 127,
      stderr: expect.stringMatching(/^`no-such-program` cannot be started/),
    });
    expect(run(dir)).toMatchObject({ status: 126, stderr: expect.stringContaining("cannot be started") });
    expect(run()).toMatchObject({ status: 126, stderr: expect.stringContaining("cannot be started") });
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("can be requested with %s", async (signal) => {
    const script = `trap 'echo heard; exit 9' ${signal.slice(3)}; echo ready; while :; do sleep 0.05; done`;
    const child = spawn(NODE, [relay, "--", "sh", "-c", script], {
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    cleanUps.push(
      () =>
        child.pid !== undefined &&
        createTree({ leader: { pid: child.pid, startTime: null }, environment: "", since: null }).end(),
    );
    const exited = new Promise((resolve) => child.once("exit", resolve));
    let heard = "";
    child.stdout.on("data", (data: Buffer) => {
      if (heard === "") child.kill(signal);
      heard += data.toString();
    });
    expect(await exited).toBe(9);
    expect(heard).toBe("ready\nheard\n");
  });
});

it("relay: contains no types, so that Node need not strip them", () => {
  const check = spawnSync(NODE, ["--no-experimental-strip-types", "--check", relay], { encoding: "utf8" });
  expect(check.stderr).toBe("");
  expect(check.status).toBe(0);
});

/** Returns what a client inside sees: one line per CONNECT response or error. */
const CLIENT = `
const net = require("node:net");
const go = (port, send) => new Promise((done) => {
  const socket = net.connect(port, "127.0.0.1");
  let heard = "";
  socket.on("connect", () => socket.end(send));
  socket.on("data", (data) => (heard += data));
  socket.on("error", (error) => done(error.code));
  socket.on("close", () => done(heard.split("\\r\\n")[0] + "|" + heard.split("\\r\\n\\r\\n")[1]));
});
const ask = (host) => "CONNECT " + host + ":443 HTTP/1.1\\r\\n\\r\\nhello";
(async () => {
  for (const [port, send] of JSON.parse(process.argv[1])) console.log(await go(port, send === null ? "hi" : ask(send)));
})();
`;

async function inside(
  sockets: Record<string, string>,
  requests: readonly [number, string | null][],
  words: readonly string[] = [],
) {
  const base = "--unshare-all --die-with-parent --clearenv --dev /dev --proc /proc --tmpfs /tmp".split(" ");
  const mounts = {
    ...Object.fromEntries(
      ["/usr", "/lib", "/lib64", "/bin"].filter((path) => existsSync(path)).map((path) => [path, path]),
    ),
    "/node": NODE,
    [RELAY]: relayFile(),
    ...Object.fromEntries(Object.entries(sockets).map(([name, path]) => [`/run/nightshift/${name}`, path])),
  };
  const binds = Object.entries(mounts).flatMap(([at, path]) => ["--ro-bind", path, at]);
  const command = ["/node", RELAY, ...words, "--", "/node", "-e", CLIENT, JSON.stringify(requests)];
  const child = spawn("bwrap", [...base, ...binds, ...command], { stdio: ["ignore", "pipe", "pipe", "pipe"] });
  const streams = child.stdio.slice(1, 4).map((stream) => text(stream as Readable));
  const [printed = "", problems, told] = await Promise.all(streams);
  expect([problems, told]).toEqual(["", words.length === 0 ? "" : "started\n"]);
  return printed.trim().split("\n");
}

/** Echoes its input in capitals. */
async function standIn(where: { path: string } | { port: number; host: string }): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    client.on("error", () => client.destroy());
    client.on("data", (data) => client.write(`\r\n\r\n${data.toString().toUpperCase()}`));
    client.on("end", () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(where, resolve));
  cleanUps.push(() => server.close());
  return server;
}

describe.skipIf(!hasBubblewrap)("relay: inside a sandbox without network", () => {
  it("connects to what the rules allow, and reports the rest", async () => {
    const server = await standIn({ port: 0, host: "127.0.0.1" });
    const { port } = server.address() as AddressInfo;
    const denials: Denial[] = [];
    const socket = join(dir, "egress.sock");
    const proxy = await openEgressProxy({
      socket,
      rules: ["good.example"],
      privateHosts: [],
      onDenied: (denial) => denials.push(denial),
      lookup: () => Promise.resolve(["93.184.215.14"]),
      dial: () => connect({ port, host: "127.0.0.1", allowHalfOpen: true }),
    });
    cleanUps.push(proxy.close);

    const sentence = "denied: evil.example:443; to allow it, add it to sandbox.network and run nightshift trust";
    const heard = await inside({ "egress.sock": socket }, [
      [3128, "good.example"],
      [3128, "evil.example"],
      [port, null],
      [3129, null],
    ]);
    expect(heard.filter((line) => line !== "")).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 200 Connection established\|/),
      `HTTP/1.1 403 Forbidden|${sentence}`,
      "ECONNREFUSED",
      "ECONNREFUSED",
    ]);
    expect(denials).toEqual([{ kind: "network", target: "evil.example:443", sentence }]);
  });

  it("connects to the gateway, also without other network access", async () => {
    const gateway = join(dir, "gateway.sock");
    await standIn({ path: gateway });
    expect(
      await inside({ "gateway.sock": gateway }, [
        [3129, null],
        [3128, "good.example"],
      ]),
    ).toEqual(["|HI", "ECONNREFUSED"]);
  });
});

describe.skipIf(!hasBubblewrap)("relay: without a gateway", () => {
  it("explains that there is none, and nothing else can be reached", async () => {
    const [refused, other] = await inside(
      {},
      [
        [3129, null],
        [3128, "good.example"],
      ],
      ["3", "no-gateway"],
    );
    const [head, body = ""] = refused?.split("|") ?? [];
    expect(head).toBe("HTTP/1.1 503 Service Unavailable");
    expect(JSON.parse(body)).toMatchObject({
      error: { message: expect.stringMatching(/^This run has no model gateway, /) },
    });
    expect(other).toBe("ECONNREFUSED");
  });
});

describe("proxyEnvironment", () => {
  it("names only the available proxies", () => {
    expect(proxyEnvironment(false, false)).toEqual({});
    expect(proxyEnvironment(false, true)).toEqual({ NIGHTSHIFT_GATEWAY_URL: "http://127.0.0.1:3129" });
    expect(proxyEnvironment(true, false)).toMatchObject({
      HTTPS_PROXY: "http://127.0.0.1:3128",
      https_proxy: "http://127.0.0.1:3128",
      NO_PROXY: "127.0.0.1,localhost,::1",
    });
    expect(proxyEnvironment(true, false)).not.toHaveProperty("NIGHTSHIFT_GATEWAY_URL");
  });
});
