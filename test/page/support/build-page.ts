import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Builds the page from the current sources before the tests. */
export function setup(): void {
  execFileSync("npm", ["run", "build:page", "--silent"], {
    cwd: join(import.meta.dirname, "../../.."),
    // Vitest sets another value, with which the page would contain the slow development version of React.
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "ignore", "inherit"],
  });
}
