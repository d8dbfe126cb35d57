import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { KEY, openTestGateway } from "./test-model.suite.ts";

it("a server that cannot prove who it is gets no key, even where checks are switched off", async () => {
  const dir = mkdtempSync(join(tmpdir(), "gateway-tls-"));
  const [key, cert] = [join(dir, "key.pem"), join(dir, "cert.pem")];
  const options = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=127.0.0.1".split(" ");
  execFileSync("openssl", [...options, "-keyout", key, "-out", cert], { stdio: "ignore" });
  const heard: string[] = [];
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    heard.push(JSON.stringify(request.headers));
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
  process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  onTestFinished(() => {
    if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
    server.closeAllConnections();
    server.close();
    rmSync(dir, { recursive: true, force: true });
  });
  // A server that listens on TCP has an address of this kind.
  const gateway = await openTestGateway(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const response = await gateway.ask("/v1/messages", { model: "claude-x", max_tokens: 1, messages: [] });
  expect([response.status, await response.text()]).toEqual([
    502,
    expect.stringMatching(/could not be asked: self-signed/),
  ]);
  expect(heard.join("")).not.toContain(KEY);
  expect(gateway.usage).toEqual([]);
});
