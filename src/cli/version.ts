import { fileURLToPath } from "node:url";
import { programVersion } from "../config/files/program-version.ts";

/** `package.json` is two folders up, both in a checkout and in the installed package. */
export function version(): string {
  return programVersion(fileURLToPath(new URL("../../", import.meta.url)));
}
