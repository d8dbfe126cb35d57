import { readFileSync } from "node:fs";

let known: string | null = null;

/** The package's version: `package.json` stands two folders above, in a checkout as in the installed package. */
export function version(): string {
  known ??= (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string })
    .version;
  return known;
}
