import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBundle, type BundledProgram } from "./bundle.ts";

/** One of our programs that an agent starts in its sandbox. */
export interface InnerProgram {
  /** Script for Node. */
  readonly file: string;
  /** Paths that it needs to read, besides Node. */
  readonly read: readonly string[];
}

/** Returns the bundle if there is one, otherwise the source with everything that it imports. */
export function findInnerProgram(program: BundledProgram): InnerProgram {
  const here = import.meta.url;
  // In the npm package, this file is JavaScript and the program is already bundled.
  if (extname(here) !== ".ts") return singleFile(fileURLToPath(new URL(`../../${program.source}.mjs`, here)));
  const checkout = fileURLToPath(new URL("../../..", here));
  const bundled = findBundle(checkout, program);
  return bundled === null ? fromSources(checkout, program) : singleFile(bundled);
}

export function fromSources(checkout: string, { source }: BundledProgram): InnerProgram {
  return {
    file: join(checkout, "src", `${source}.ts`),
    read: ["src/mcp", "src/core", "package.json", "node_modules"].map((path) => join(checkout, path)),
  };
}

function singleFile(file: string): InnerProgram {
  return { file, read: [file] };
}
