import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { type Plugin, rolldown } from "rolldown";
import {
  bundleRecord,
  BUNDLES,
  findBundle,
  hashSources,
  REPORT_SERVER,
  SUPERVISOR,
} from "../src/adapters/process/bundle.ts";
import type { BundledProgram, BundleRecord } from "../src/adapters/process/bundle.ts";
import { replaceFile } from "../src/adapters/process/job-files.ts";

const CHECKOUT = path.join(import.meta.dirname, "..");

/** Bundles a program of a checkout for `findBundle`, unless that is done already. */
export async function bundleCheckout(checkout: string, program: BundledProgram = SUPERVISOR): Promise<void> {
  if (findBundle(checkout, program) !== null) return;
  const root = realpathSync(checkout);
  const bundles = path.join(root, BUNDLES);
  mkdirSync(bundles, { recursive: true });
  // As deep as the place it is moved to: it names files of the checkout relative to itself.
  const draft = mkdtempSync(path.join(bundles, ".draft-"));
  try {
    const entry = path.join(root, "src", `${program.source}.ts`);
    const loaded = await bundle(program, entry, path.join(draft, `${program.source}.mjs`));
    const sources = [...loaded].map(([file, text]) => [path.relative(root, file), text] as const);
    // The bundler loads in whatever order; the same sources shall be the same bundle.
    sources.sort(([one], [other]) => (one < other ? -1 : 1));
    const record: BundleRecord = { sources: sources.map(([file]) => file), hash: hashSources(sources) };
    moveOnce(draft, path.join(bundles, record.hash));
    replaceFile(bundleRecord(root, program), record);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Whoever was there before has made the same. */
function moveOnce(draft: string, place: string): void {
  try {
    renameSync(draft, place);
  } catch (error) {
    if (!existsSync(place)) throw error;
  }
}

/**
 * Puts the bundle of a program into `out`: in the place where the compiler left the program, or as `.mjs` beside it where
 * the bundle has to do without the package.json that says what `.js` is.
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
 * Returns what went into it: each file with its text. Unless it is to be whole, packages stay outside, and what is
 * imported later stays a file.
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
    // What is built elsewhere has no packages beside it.
    resolve: { modules: ["node_modules", path.join(CHECKOUT, "node_modules")] },
    // An import that leads nowhere would be left as it is, with a warning.
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

/** A module that asks where it stands, to find a file beside it, gets the answer that it had before it was bundled. */
function keepPlaces(entry: string, folder: string, loaded: Map<string, string>): Plugin {
  const at = (file: string): string => JSON.stringify(path.relative(folder, file));
  return {
    name: "keep-places",
    transform(code, id) {
      // The bundler's own helpers are no files.
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
  for (const program of [SUPERVISOR, REPORT_SERVER])
    await (out === undefined ? bundleCheckout(CHECKOUT, program) : bundleBuilt(path.resolve(out), program));
}
