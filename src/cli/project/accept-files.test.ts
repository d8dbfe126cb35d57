import { expect, test } from "vitest";
import type { Client } from "../../http/client/client.ts";
import { acceptFiles } from "./accept-files.ts";
import type { CliContext } from "../context.ts";

async function show(key: string, wanted: string | null): Promise<string> {
  const shown: string[] = [];
  const context = { json: false, interactive: false, color: false, progress: (text: string) => shown.push(text) };
  const pending = { changes: [{ key, accepted: null, wanted }], hash: "h" };
  const client = { call: async () => ({ project: { name: "shop" }, pending }) };
  const options = { location: { path: "/shop", url: null }, generated: false, yes: false };
  // The tests have no terminal, so nothing is accepted.
  await expect(acceptFiles(context as unknown as CliContext, client as unknown as Client, options)).rejects.toThrow(
    /need a confirmation/,
  );
  return shown.join("");
}

test("trust says what write access to a folder means before a person accepts it", async () => {
  expect(await show("sandbox.write", "- /srv/cache")).toContain("talk to programs that create sockets or named pipes");
  for (const [key, wanted] of [
    ["sandbox.read", "- /srv/cache"],
    ["sandbox.write", null],
  ] as const)
    expect(await show(key, wanted)).not.toContain("talk to programs");
});
