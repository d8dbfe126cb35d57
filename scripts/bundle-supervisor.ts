import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { type Plugin, rolldown } from "rolldown";
import {
  bundleRecord,
  BUNDLES,
  findBundle,
  hashSources,
  MCP_BRIDGE,
  REPORT_SERVER,
  SUPERVISOR,
} from "../src/adapters/process/bundle.ts";
import type { BundledProgram, BundleRecord } from "../src/adapters/process/bundle.ts";
import { replaceFile } from "../src/adapters/process/job-files.ts";

const CHECKOUT = path.join(import.meta.dirname, "..");

/** Bundles a program of a checkout for `findBundle`, unless that is already done. */
export async function bundleCheckout(checkout: string, program: BundledProgram = SUPERVISOR): Promise<void> {
  if (findBundle(checkout, program) !== null) return;
  const root = realpathSync(checkout);
  const bundles = path.join(root, BUNDLES);
  mkdirSync(bundles, { recursive: true });
  // At the same depth as its final place, because it refers to files of the checkout by relative paths.
  const draft = mkdtempSync(path.join(bundles, ".draft-"));
  try {
    // Runs of root have another user. It must be able to read the bundle even where all of node_modules is mounted.
    chmodSync(draft, 0o755);
    const entry = path.join(root, "src", `${program.source}.ts`);
    const loaded = await bundle(program, entry, path.join(draft, `${program.source}.mjs`));
    const sources = [...loaded].map(([file, text]) => [path.relative(root, file), text] as const);
    // Sorted, because the bundler loads files in any order, but equal sources must give an equal bundle.
    sources.sort(([one], [other]) => (one < other ? -1 : 1));
    const record: BundleRecord = { sources: sources.map(([file]) => file), hash: hashSources(sources) };
    moveOnce(draft, path.join(bundles, record.hash));
    replaceFile(bundleRecord(root, program), record);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** An existing bundle has the same content. */
function moveOnce(draft: string, place: string): void {
  try {
    renameSync(draft, place);
  } catch (error) {
    if (!existsSync(place)) throw error;
  }
}

/**
 * Writes the bundle of a program to `out`: in place of the compiled program, or as `.mjs` next to it if the bundle must work
 * without the package.json that declares `.js` files as modules.
 */
export async function bundleBuilt(out: string, program: BundledProgram = SUPERVISOR): Promise<void> {
  const entry = path.join(realpathSync(out), `${program.source}.js`);
  const folder = path.dirname(entry);
  const draft = mkdtempSync(`${folder}-`);
  try {
    const name = path.basename(program.source) + (program.isWhole ? ".mjs" : ".js");
    await bundle(program, entry, path.join(draft, name));
    cpSync(draft, folder, { recursive: true });
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Returns all bundled files with their text. Unless the bundle is self-contained, packages stay external and dynamic imports
 * stay separate files.
 */
async function bundle(
  { isWhole }: BundledProgram,
  entry: string,
  output: string,
): Promise<ReadonlyMap<string, string>> {
  const loaded = new Map<string, string>();
  const folder = path.dirname(output);
  const built = await rolldown({
    input: entry,
    platform: "node",
    external: isWhole ? [] : [/^[^./]/],
    // Sources outside the checkout have no packages next to them.
    resolve: { modules: ["node_modules", path.join(CHECKOUT, "node_modules")] },
    // An unresolved import would only be a warning.
    onLog: (level, log, report) => report(log.code === "UNRESOLVED_IMPORT" ? "error" : level, log),
    plugins: [keepPlaces(entry, folder, loaded)],
  });
  await built.write({
    dir: folder,
    format: "esm",
    codeSplitting: !isWhole,
    entryFileNames: path.basename(output),
    chunkFileNames: `[name]-[hash]${path.extname(output)}`,
  });
  await built.close();
  return loaded;
}

/** `import.meta.url` of a bundled module keeps its original value, so that it finds files next to its source. */
function keepPlaces(entry: string, folder: string, loaded: Map<string, string>): Plugin {
  const at = (file: string): string => JSON.stringify(path.relative(folder, file));
  return {
    name: "keep-places",
    transform(code, id) {
      // Virtual modules of the bundler are not files.
      if (!path.isAbsolute(id)) return null;
      loaded.set(id, code);
      const answers: Readonly<Record<string, string>> = {
        url: `new URL(${at(id)}, import.meta.url).href`,
        filename: `process.getBuiltinModule("node:path").resolve(import.meta.dirname, ${at(id)})`,
        dirname: `process.getBuiltinModule("node:path").resolve(import.meta.dirname, ${at(path.dirname(id))})`,
        main: id === entry ? "import.meta.main" : "false",
      };
      return code.replace(/\bimport\.meta\.(\w+)\b/g, (asked, name: string) => answers[name] ?? asked);
    },
  };
}

if (import.meta.main) {
  const out = process.argv[2];
  for (const program of [SUPERVISOR, REPORT_SERVER, MCP_BRIDGE])
    await (out === undefined ? bundleCheckout(CHECKOUT, program) : bundleBuilt(path.resolve(out), program));
}
