import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { KEY, openTestGateway, stream } from "./test-model.suite.ts";

const REQUEST = { model: "claude-x", max_tokens: 1, messages: [] };
const WORDS = stream({ type: "content_block_delta", delta: { text: "größer ".repeat(40) } }).repeat(2000);

/** A model with a self-signed certificate that is not trusted yet. */
async function openSecureModel(names: string) {
  const dir = mkdtempSync(join(tmpdir(), "gateway-tls-"));
  const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
  const options = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=model".split(" ");
  const named = ["-addext", `subjectAltName=${names}`];
  execFileSync("openssl", [...options, ...named, "-keyout", key, "-out", cert], { stdio: "ignore" });
  const heard: string[] = [];
  const serverNames: (string | false | null | undefined)[] = [];
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    heard.push(JSON.stringify(request.headers));
    request.resume().once("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(WORDS);
    });
  });
  server.on("secureConnection", (socket) => serverNames.push(socket.servername));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(dir, { recursive: true, force: true });
  });
  // A TCP server always has an AddressInfo.
  return { port: (server.address() as AddressInfo).port, certificate: readFileSync(cert, "utf8"), heard, serverNames };
}

function trust(certificate: string): void {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, certificate]);
  onTestFinished(() => setDefaultCACertificates(before));
}

it("TLS: an untrusted certificate gets no key, even with NODE_TLS_REJECT_UNAUTHORIZED=0", async () => {
  const model = await openSecureModel("IP:127.0.0.1");
  const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
  process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  onTestFinished(() => {
    if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
  });
  const gateway = await openTestGateway(`https://127.0.0.1:${model.port}`);
  const response = await gateway.send("/v1/messages", REQUEST);
  expect([response.status, await response.text()]).toEqual([502, expect.stringMatching(/failed: self-signed/)]);
  expect(model.heard.join("")).not.toContain(KEY);
  expect(gateway.usage).toEqual([]);
});

it.each(["https://127.0.0.1", "https://localhost"])(
  "TLS: a certificate for another host gets no key: %s",
  async (address) => {
    const model = await openSecureModel("DNS:other.example,IP:127.0.0.9");
    trust(model.certificate);
    const gateway = await openTestGateway(`${address}:${model.port}`);
    const response = await gateway.send("/v1/messages", REQUEST);
    expect([response.status, await response.text()]).toEqual([502, expect.stringContaining("does not match")]);
    expect(model.heard).toEqual([]);
  },
);

it.each([
  ["127.0.0.1", false],
  ["localhost", "localhost"],
])("TLS: sends the server name and reuses the connection: %s", async (host, servername) => {
  const model = await openSecureModel("DNS:localhost,IP:127.0.0.1");
  trust(model.certificate);
  const gateway = await openTestGateway(`https://${host}:${model.port}`);
  for (const count of [1, 2]) {
    const response = await gateway.send("/v1/messages", REQUEST);
    expect([count, response.status, (await response.text()) === WORDS]).toEqual([count, 200, true]);
  }
  expect(model.heard[1]).toContain(KEY);
  expect(model.serverNames).toEqual([servername]);
});
