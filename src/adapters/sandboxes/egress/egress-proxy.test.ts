import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Denial } from "../../../ports/sandbox.ts";
import { openEgressPort, openEgressProxy } from "./egress-proxy.ts";
import type { EgressParams } from "./egress-proxy.ts";

const PUBLIC = "93.184.215.14";
const RULES = ["good.example", "*.cdn.example", "many.example:8443", "[2600::1]", "8.8.8.8", "localhost.example"];

let dir: string;
let socket: string;
let upstream: Server;
let denials: Denial[];
let dialled: string[];
let cleanUps: (() => unknown)[];

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "egress-"));
  socket = join(dir, "egress.sock");
  denials = [];
  dialled = [];
  cleanUps = [];
  // Echoes its input in capitals.
  upstream = createServer({ allowHalfOpen: true }, (peer) => {
    peer.on("error", () => peer.destroy());
    peer.on("data", (data) => peer.write(data.toString("latin1").toUpperCase(), "latin1"));
    peer.on("end", () => peer.end());
  });
  await listening(upstream);
});

afterEach(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
  upstream.close();
  rmSync(dir, { recursive: true, force: true });
});

function listening(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Every public address is the loopback server; names resolve as configured. */
function params(over: Partial<EgressParams> = {}): EgressParams {
  return {
    rules: RULES,
    privateHosts: [],
    onDenied: (denial) => denials.push(denial),
    lookup: () => Promise.resolve([PUBLIC]),
    dial: (address, port) => {
      dialled.push(`${address}:${port}`);
      return connect({ host: "127.0.0.1", port: portOf(upstream), allowHalfOpen: true });
    },
    ...over,
  };
}

async function open(over: Partial<EgressParams> = {}): Promise<() => Promise<void>> {
  const proxy = await openEgressProxy({ ...params(over), socket });
  cleanUps.push(proxy.close);
  return proxy.close;
}

function client(): Socket {
  const opened = connect({ path: socket, allowHalfOpen: true });
  opened.on("error", () => opened.destroy());
  cleanUps.push(() => opened.destroy());
  return opened;
}

const ask = (target: string): string => `CONNECT ${target} HTTP/1.1\r\nHost: good.example:443\r\n\r\n`;

/** Sends a request at once and returns everything that comes back. */
async function exchange(request: string | Buffer): Promise<string> {
  const opened = client();
  opened.end(request);
  return text(opened).catch(() => "");
}

/** Opens a tunnel and consumes the proxy's response. */
async function tunnel(target = "good.example:443"): Promise<Socket> {
  const opened = client();
  opened.write(ask(target));
  const answer: Buffer = await new Promise((resolve) => opened.once("data", resolve));
  expect(answer.toString()).toBe("HTTP/1.1 200 Connection established\r\n\r\n");
  return opened;
}

describe("egress proxy: a tunnel", () => {
  it("carries data both ways, and each side may close first", async () => {
    await open();
    const opened = await tunnel();
    opened.end("hello");
    expect(await text(opened)).toBe("HELLO");
    expect(dialled).toEqual([`${PUBLIC}:443`]);
    expect(denials).toEqual([]);
  });

  it.each([
    ["a.b.cdn.example:443", `${PUBLIC}:443`],
    ["GOOD.example.:443", `${PUBLIC}:443`],
    ["many.example:8443", `${PUBLIC}:8443`],
    ["[2600:0:0::1]:443", "2600::1:443"],
    ["8.8.8.8:443", "8.8.8.8:443"],
  ])("connects to %s", async (target, address) => {
    await open();
    await tunnel(target);
    expect(dialled).toEqual([address]);
  });

  it("forwards data that arrived together with the request", async () => {
    await open();
    expect(await exchange(`${ask("good.example:443")}early`)).toMatch(/\r\n\r\nEARLY$/);
  });

  it("carries a megabyte for many clients at once", async () => {
    await open();
    const size = 1024 * 1024;
    const all = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const opened = await tunnel();
        const received = buffer(opened);
        opened.end(Buffer.alloc(size, String.fromCharCode(97 + index)));
        return received;
      }),
    );
    for (const [index, received] of all.entries()) {
      expect(received.equals(Buffer.alloc(size, String.fromCharCode(65 + index)))).toBe(true);
    }
  });

  it("resolves once and tries the next address if one does not answer", async () => {
    let lookups = 0;
    const lookup = (): Promise<string[]> => Promise.resolve([["2600::dead", PUBLIC], ["127.0.0.1"]][lookups++] ?? []);
    const dial = (address: string): Socket => {
      dialled.push(address);
      return connect({ host: "127.0.0.1", port: address === PUBLIC ? portOf(upstream) : 1, allowHalfOpen: true });
    };
    await open({ lookup, dial });
    await tunnel();
    expect(dialled).toEqual(["2600::dead", PUBLIC]);
    expect(lookups).toBe(1);
  });

  it("outlives the header timeout and is closed when idle", async () => {
    await open({ limits: { headersMs: 100, idleMs: 600 } });
    const opened = await tunnel();
    // Longer than the header timeout, shorter than the idle timeout.
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(opened.destroyed).toBe(false);
    const started = performance.now();
    await text(opened).catch(() => "");
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

const REFUSED: readonly [target: string, addresses: readonly string[], why: RegExp][] = [
  [
    "evil.example:443",
    [PUBLIC],
    /^denied: evil\.example:443; to allow it, add it to sandbox\.network and run nightshift trust$/,
  ],
  ["good.example:80", [PUBLIC], /add it/],
  ["www.good.example:443", [PUBLIC], /add it/],
  ["good.example.evil.example:443", [PUBLIC], /add it/],
  ["cdn.example:443", [PUBLIC], /add it/],
  ["evilcdn.example:443", [PUBLIC], /add it/],
  ["many.example:443", [PUBLIC], /add it/],
  ["8.8.4.4:443", [PUBLIC], /add it/],
  ["127.0.0.1:443", [], /add it/],
  ["[::1]:443", [], /add it/],
  ["localhost.:443", [], /^denied: localhost:443; to allow it, add it/],
  ["2130706433:443", [], /not a valid host/],
  ["0x7f.1:443", [], /not a valid host/],
  ["0177.0.0.1:443", [], /not a valid host/],
  ["127.1:443", [], /not a valid host/],
  ["[::ffff:127.0.0.1]:443", [], /add it/],
  ["good.example", [PUBLIC], /not a valid host/],
  ["good.example:", [PUBLIC], /not a valid host/],
  ["good.example:0", [PUBLIC], /not a valid host/],
  ["good.example:65536", [PUBLIC], /not a valid host/],
  ["good.example:443443", [PUBLIC], /not a valid host/],
  ["good.example:+443", [PUBLIC], /not a valid host/],
  ["good.example:443/", [PUBLIC], /not a valid host/],
  ["user@good.example:443", [PUBLIC], /not a valid host/],
  ["user:pw@good.example:443", [PUBLIC], /not a valid host/],
  ["good.example@evil.example:443", [PUBLIC], /not a valid host/],
  ["good.example%00.evil.example:443", [PUBLIC], /not a valid host/],
  ["http://good.example:443", [PUBLIC], /not a valid host/],
  ["*.cdn.example:443", [PUBLIC], /not a valid host/],
  [`${"a".repeat(64)}.cdn.example:443`, [PUBLIC], /not a valid host/],
  [`${"a.".repeat(150)}cdn.example:443`, [PUBLIC], /not a valid host/],
  ["good.example:443", ["127.0.0.1"], /leads to 127\.0\.0\.1, a loopback address, which sandbox\.network cannot allow/],
  ["good.example:443", ["10.1.2.3"], /private/],
  ["good.example:443", ["169.254.169.254"], /link-local/],
  ["good.example:443", ["100.64.0.1"], /internal network/],
  ["good.example:443", ["0.0.0.0"], /unspecified/],
  ["good.example:443", ["::"], /unspecified/],
  ["good.example:443", ["::1"], /loopback/],
  ["good.example:443", ["::ffff:10.0.0.1"], /embeds/],
  ["good.example:443", ["64:ff9b::7f00:1"], /embeds/],
  ["good.example:443", ["2002:a00:1::"], /embeds/],
  ["good.example:443", ["fe80::1%lo"], /not a valid address/],
  ["good.example:443", ["224.0.0.1"], /multicast/],
  ["good.example:443", [PUBLIC, "192.168.0.1"], /private/],
  ["good.example:443", ["2600::1", "::1"], /loopback/],
];

describe("egress proxy: a refusal", () => {
  it.each(REFUSED)("of %s, resolved to %j", async (target, addresses, why) => {
    await open({ lookup: () => Promise.resolve(addresses) });
    const answer = await exchange(ask(target));
    expect(answer).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    const [denial] = denials;
    expect(denials).toHaveLength(1);
    expect(denial?.sentence).toMatch(why);
    expect(answer).toContain(denial?.sentence);
    expect(denial?.target.length).toBeLessThan(130);
    expect(dialled).toEqual([]);
  });

  it("covers this machine's own addresses", async () => {
    const own = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
    for (const address of own) {
      const close = await open({ lookup: () => Promise.resolve([address]) });
      expect(await exchange(ask("good.example:443"))).toMatch(/^HTTP\/1\.1 403/);
      await close();
    }
    expect(own.length).toBeGreaterThan(0);
    expect(dialled).toEqual([]);
  });

  it.each([
    ["GET http://good.example/ HTTP/1.1\r\nHost: good.example\r\n\r\n", "http://good.example/"],
    ["GET / HTTP/1.1\r\nHost: good.example\r\n\r\n", "/"],
    ["POST http://127.0.0.1:80/ HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi", "http://127.0.0.1:80/"],
    ["GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", "/chat"],
    ["OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "*"],
  ])("answers %j with an explanation", async (request, target) => {
    await open();
    const answer = await exchange(request);
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
    expect(answer).toContain("only tunnels (CONNECT), which clients use for https, are supported");
    expect(denials).toEqual([expect.objectContaining({ kind: "network", target })]);
    expect(dialled).toEqual([]);
  });

  it("cannot be bypassed by a second request or a Host header", async () => {
    await open();
    const answer = await exchange(
      `CONNECT evil.example:443 HTTP/1.1\r\nHost: good.example:443\r\n\r\n${ask("good.example:443")}`,
    );
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(answer).toContain("denied: evil.example:443;");
    expect(dialled).toEqual([]);
  });

  it("is reported each time, up to a number of different targets", async () => {
    await open({ limits: { denials: 3 } });
    for (let round = 0; round < 2; round++) {
      for (const name of ["a", "b", "c", "d", "e"]) {
        expect(await exchange(ask(`${name}.evil:443`))).toMatch(/^HTTP\/1\.1 403/);
      }
    }
    const targets = ["a.evil:443", "b.evil:443", "c.evil:443"];
    expect(denials.map(({ target }) => target)).toEqual([...targets, ...targets]);
  });

  it("is reported for an allowed host even after too many others", async () => {
    await open({ limits: { denials: 2 }, lookup: () => Promise.resolve(["10.0.0.1"]) });
    for (const name of ["a.evil", "b.evil", "c.evil", "good.example"]) await exchange(ask(`${name}:443`));
    expect(denials.map(({ target }) => target)).toEqual(["a.evil:443", "b.evil:443", "good.example:443"]);
  });

  it("of invalid rules comes before the first connection", async () => {
    await expect(open({ rules: ["a b", "good.example", "127.0.0.9"] })).rejects.toThrow(/`a b`.*\n.*`127\.0\.0\.9`/);
  });
});

function noLookup(name: string): Promise<string[]> {
  if (!name.startsWith("a.")) return Promise.resolve([]);
  return Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }));
}

describe("egress proxy: bad clients and servers", () => {
  it.each([
    ["garbage", Buffer.from([0, 1, 2, 255, 254, 13, 10, 13, 10])],
    ["another protocol", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["a fragment in the target", ask("good.example#evil:443")],
    ["spaces in the target", "CONNECT good.example :443 HTTP/1.1\r\n\r\n"],
    ["a line feed in a header", "CONNECT good.example:443 HTTP/1.1\r\nA: b\rc\r\n\r\n"],
    ["a flood of headers", `CONNECT good.example:443 HTTP/1.1\r\n${"a: b\r\n".repeat(5_000)}\r\n`],
    ["one long header", `CONNECT good.example:443 HTTP/1.1\r\na: ${"b".repeat(100_000)}\r\n\r\n`],
    ["an endless target", `CONNECT ${"a".repeat(100_000)}:443 HTTP/1.1\r\n\r\n`],
  ])("a request with %s is answered or closed, and the next one is served", async (_, request) => {
    await open();
    expect(await exchange(request)).not.toMatch(/^HTTP\/1\.1 200/);
    expect(dialled).toEqual([]);
    await tunnel();
  });

  it("reports a name or host that cannot be reached", async () => {
    const close = await open({ lookup: noLookup });
    expect(await exchange(ask("a.cdn.example:443"))).toMatch(/^HTTP\/1\.1 502 [^]*could not be resolved: ENOTFOUND\./);
    expect(await exchange(ask("b.cdn.example:443"))).toMatch(/^HTTP\/1\.1 502 [^]*has no address\./);
    await close();
    await open({ dial: () => connect(1, "127.0.0.1") });
    expect(await exchange(ask("good.example:443"))).toMatch(/^HTTP\/1\.1 502 [^]*could not be reached: ECONNREFUSED\./);
    expect(denials).toEqual([]);
  });

  it("gives up on a server that never answers", async () => {
    await open({
      limits: { connectMs: 200 },
      dial: () => connect({ host: "never.example", port: 1, lookup: () => undefined }),
    });
    expect(await exchange(ask("good.example:443"))).toMatch(/^HTTP\/1\.1 502 [^]*timed out/);
  });

  it("closes a client that sends nothing or sends slowly", async () => {
    await open({ limits: { headersMs: 200 } });
    const silent = client();
    const slow = client();
    slow.write("CONNECT good.exam");
    await Promise.all([silent, slow].map((each) => text(each).catch(() => "")));
    expect(dialled).toEqual([]);
  });

  it("a connection broken by the server affects only its client", async () => {
    await open();
    const other = await tunnel();
    upstream.removeAllListeners("connection");
    upstream.on("connection", (each: Socket) => each.resetAndDestroy());
    const broken = client();
    broken.write(ask("good.example:443"));
    await text(broken).catch(() => "");
    other.end("still here");
    expect(await text(other)).toBe("STILL HERE");
  });

  it("too many clients affect only the additional ones", async () => {
    await open({ limits: { connections: 2 } });
    const [first, second] = [await tunnel(), await tunnel()];
    expect(await exchange(ask("good.example:443"))).toBe("");
    first.end("a");
    expect(await text(first)).toBe("A");
    second.destroy();
  });
});

describe("egress proxy: opening and closing", () => {
  it("every user may open the socket, which replaces an old one, also with a very long path", async () => {
    const deep = join(dir, "x".repeat(60), "y".repeat(60));
    mkdirSync(deep, { recursive: true });
    symlinkSync(deep, join(dir, "short"));
    socket = join(deep, "egress.sock");
    writeFileSync(socket, "left behind");
    const close = await open();
    expect(statSync(socket).mode & 0o777).toBe(0o666);
    socket = join(dir, "short", "egress.sock");
    await tunnel();
    await close();
    expect(readdirSync(deep)).toEqual([]);
  });

  it("closing ends all connections and can be repeated", async () => {
    const close = await open();
    const [standing, silent] = [await tunnel(), client()];
    silent.write("CONNECT ");
    const ended = Promise.all([standing, silent].map((each) => text(each).catch(() => "")));
    await close();
    await close();
    await ended;
    expect(statSync(socket, { throwIfNoEntry: false })).toBeUndefined();
  });

  it("requires the token on a port", async () => {
    const { port, close } = await openEgressPort({ ...params(), token: "right" });
    cleanUps.push(close);
    const attempt = async (credentials: string): Promise<string> => {
      const opened = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      const header = `Proxy-Authorization: Basic ${Buffer.from(credentials).toString("base64")}`;
      opened.end(`CONNECT good.example:443 HTTP/1.1\r\n${header}\r\n\r\nhi`);
      return text(opened);
    };
    expect(await attempt("x:wrong")).toMatch(/^HTTP\/1\.1 407 /);
    expect(await attempt("")).toMatch(/^HTTP\/1\.1 407 /);
    expect(await attempt("x:right")).toMatch(/\r\n\r\nHI$/);
    expect(dialled).toHaveLength(1);
  });
});
