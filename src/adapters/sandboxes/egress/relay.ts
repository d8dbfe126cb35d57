/**
 * Runs inside a sandbox without network: forwards loopback ports to Unix sockets of the supervisor, which decides what is
 * allowed. Then it starts the command and exits with the same status.
 *
 * It is mounted as a single file and delays every command, so it imports none of our modules and contains no types:
 * stripping them would take Node longer than everything else.
 */
const { closeSync, existsSync, writeSync } = process.getBuiltinModule("node:fs");
const { connect, createServer, Socket } = process.getBuiltinModule("node:net");
const { spawn } = process.getBuiltinModule("node:child_process");
const { constants } = process.getBuiltinModule("node:os");

const separator = process.argv.indexOf("--");
const [program = "", ...args] = process.argv.slice(separator + 1);
/** Descriptor that is written to right before the command starts. */
const [status = "", ...options] = process.argv.slice(2, separator);

const FORWARDED_PORTS = [
  { port: 3128, socket: "/run/nightshift/egress.sock" },
  { port: 3130, socket: "/run/nightshift/forge.sock" },
  { port: 3129, socket: options.includes("no-gateway") ? null : "/run/nightshift/gateway.sock" },
].filter(({ socket }) => socket === null || existsSync(socket));

// Makes Node's fetch use the proxy. Set only for the command, because Node takes twice as long to start with it.
const NODE_PROXY = FORWARDED_PORTS.some(({ port }) => port === 3128) ? { NODE_USE_ENV_PROXY: "1" } : {};

/** Response for programs that look for a model gateway when there is none. Most print the message. */
const NO_GATEWAY = JSON.stringify({
  type: "error",
  error: {
    type: "api_error",
    message:
      "This run has no model gateway, because its agent connects to its model directly or uses none (see docs/agents.md).",
  },
});

let pendingPorts = FORWARDED_PORTS.length;

for (const { port, socket } of FORWARDED_PORTS) {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (socket === null) return refuse(client);
    const outside = connect({ path: socket, allowHalfOpen: true });
    client.on("error", () => outside.destroy());
    outside.on("error", () => client.destroy());
    // If one half was closed regularly, the other may continue.
    client.on("close", () => void (client.readableEnded || outside.destroy()));
    outside.on("close", () => void (outside.readableEnded || client.destroy()));
    client.pipe(outside).pipe(client);
  });
  server.on("error", (error) => {
    // Later errors only affect a single client, which can retry.
    if (pendingPorts > 0) fail(125, `The sandbox's relay cannot listen on port ${port}: ${error.message}.`);
  });
  server.listen(port, "127.0.0.1", () => {
    pendingPorts--;
    if (pendingPorts === 0) run();
  });
}
if (FORWARDED_PORTS.length === 0) run();

function run() {
  if (status !== "") {
    writeSync(Number(status), "started\n");
    // From now on only the command itself can fail, so no other process may write to the descriptor.
    closeSync(Number(status));
  }
  process.on("uncaughtException", (error) => {
    const isMissing = "code" in error && error.code === "ENOENT";
    fail(isMissing ? 127 : 126, `\`${program}\` cannot be started in the sandbox: ${error.message}.`);
  });
  // Registered before the child exists, so that a signal to a fast child does not end the relay.
  process.on("SIGTERM", (signal) => child.kill(signal));
  process.on("SIGINT", (signal) => child.kill(signal));
  process.on("SIGHUP", (signal) => child.kill(signal));
  // `spawn` can throw or emit an error; both end in the same place.
  const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...NODE_PROXY } });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    // End with the same signal as the command. The first process of a namespace cannot kill itself this way.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    setTimeout(() => process.exit(128 + constants.signals[signal]), 100);
  });
}

function refuse(client = new Socket()) {
  client.on("error", () => client.destroy());
  client.on("end", () => client.end());
  // Wait for the request: clients take an earlier response for the end of an older connection.
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
