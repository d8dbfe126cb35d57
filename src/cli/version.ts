import { readFileSync } from "node:fs";

let known: string | null = null;

/** The package's version. `package.json` is two folders up, both in a checkout and in the installed package. */
export function version(): string {
  known ??= (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string })
    .version;
  return known;
}
