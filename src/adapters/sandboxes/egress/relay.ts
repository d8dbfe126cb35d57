/**
 * Runs inside a sandbox that has no network of its own: ports of loopback there lead to sockets of the supervisor, which
 * decides what comes through. Then it starts the command and ends as that does.
 *
 * Mounted by itself under another name, and it keeps every command waiting: so it imports nothing of ours, and nowhere
 * is there a type to take off, for which Node would need more time than for all the rest.
 */
const { closeSync, existsSync, writeSync } = process.getBuiltinModule("node:fs");
const { connect, createServer, Socket } = process.getBuiltinModule("node:net");
const { spawn } = process.getBuiltinModule("node:child_process");
const { constants } = process.getBuiltinModule("node:os");

const ours = process.argv.indexOf("--");
const [program = "", ...args] = process.argv.slice(ours + 1);
/** The descriptor on which the supervisor is told that nothing of ours stands before the command any more. */
const [status = "", ...words] = process.argv.slice(2, ours);

const DOORS = [
  { port: 3128, socket: "/run/nightshift/egress.sock" },
  { port: 3129, socket: words.includes("no-gateway") ? null : "/run/nightshift/gateway.sock" },
].filter(({ socket }) => socket === null || existsSync(socket));

// Makes Node's own fetch use the proxy. Not in our own environment: Node takes twice as long to start with it.
const NODE_PROXY = DOORS.some(({ port }) => port === 3128) ? { NODE_USE_ENV_PROXY: "1" } : {};

/** For programs that look for a model where there is none: most of them print what they are told. */
const NO_GATEWAY = JSON.stringify({
  type: "error",
  error: {
    type: "api_error",
    message:
      "No model gateway was planned for this run: its agent is of a kind that reaches its model by itself, or has none (docs/agents.md).",
  },
});

let waitingFor = DOORS.length;

for (const { port, socket } of DOORS) {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (socket === null) return refuse(client);
    const outside = connect({ path: socket, allowHalfOpen: true });
    client.on("error", () => outside.destroy());
    outside.on("error", () => client.destroy());
    // A half that ended in order leaves the other half its time.
    client.on("close", () => void (client.readableEnded || outside.destroy()));
    outside.on("close", () => void (outside.readableEnded || client.destroy()));
    client.pipe(outside).pipe(client);
  });
  server.on("error", (error) => {
    // Later it can only be one client too many, who may come again.
    if (waitingFor > 0) fail(125, `The sandbox's relay cannot listen on port ${port}: ${error.message}.`);
  });
  server.listen(port, "127.0.0.1", () => {
    waitingFor--;
    if (waitingFor === 0) run();
  });
}
if (DOORS.length === 0) run();

function run() {
  if (status !== "") {
    writeSync(Number(status), "started\n");
    // What comes now is the command's own, and so is whoever could still find the descriptor.
    closeSync(Number(status));
  }
  process.on("uncaughtException", (error) => {
    const isMissing = "code" in error && error.code === "ENOENT";
    fail(isMissing ? 127 : 126, `\`${program}\` cannot be started in the sandbox: ${error.message}.`);
  });
  // Before there is a child: one that is quick must not find a relay that a signal still ends.
  process.on("SIGTERM", (signal) => child.kill(signal));
  process.on("SIGINT", (signal) => child.kill(signal));
  process.on("SIGHUP", (signal) => child.kill(signal));
  // Without a listener an error of the child is an exception as well: one place for both kinds.
  const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...NODE_PROXY } });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    // Whoever waits for us sees the same end. As the first process of all one cannot be killed in this way.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    setTimeout(() => process.exit(128 + constants.signals[signal]), 100);
  });
}

function refuse(client = new Socket()) {
  client.on("error", () => client.destroy());
  client.on("end", () => client.end());
  // Not before it has asked: a program that is answered first takes it for the end of an older connection.
  client.once("data", () => {
    const head = "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nconnection: close";
    client.end(`${head}\r\ncontent-length: ${NO_GATEWAY.length}\r\n\r\n${NO_GATEWAY}`);
    client.resume();
  });
}

function fail(code = 1, sentence = "") {
  process.stderr.write(`${sentence}\n`);
  process.exit(code);
}
