import { createServer } from "node:http";
import { connect } from "node:net";
import type { AddressInfo } from "node:net";

/** The control for attacks on our proxy: a proxy that opens every tunnel. All lead to the decoy. */
export async function createOpenProxy(decoyPort: number): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((_, response) => {
    connect(decoyPort, "127.0.0.1").pipe(response.socket ?? process.stdout);
  });
  server.on("connect", (_, client, head) => {
    const upstream = connect(decoyPort, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(client).pipe(upstream);
    });
    for (const each of [client, upstream]) each.on("error", () => each.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  // A TCP server always has this kind of address.
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}
