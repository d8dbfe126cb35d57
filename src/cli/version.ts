import { readFileSync } from "node:fs";

/** `package.json` is two folders up, both in a checkout and in the installed package. */
export function version(): string {
  const file = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(file) as { version: string }).version;
}
