import path from "node:path";
import { cruise, type ICruiseResult } from "dependency-cruiser";
import extractOptions from "dependency-cruiser/config-utl/extract-depcruise-options";
import extractTsConfig from "dependency-cruiser/config-utl/extract-ts-config";

// With a TypeScript that it does not know, dependency-cruiser finds no module and no fault. A green check must have seen something.
const FEWEST_MODULES = 30;

const REPOSITORY = path.join(import.meta.dirname, "..");

export interface RoomsReport {
  readonly modules: number;
  /** One sentence for each forbidden import, and one if too little was seen. */
  readonly problems: readonly string[];
}

/** Holds `root/src` to the rooms table in this repository's `.dependency-cruiser.mjs`. */
export async function checkRooms(root: string): Promise<RoomsReport> {
  const options = await extractOptions(path.join(REPOSITORY, ".dependency-cruiser.mjs"));
  const tsConfig = extractTsConfig(path.join(REPOSITORY, "tsconfig.json"));
  const { output } = await cruise(["src"], { ...options, baseDir: root }, undefined, { tsConfig });
  if (typeof output === "string") throw new TypeError("dependency-cruiser answered with text instead of a result.");
  return report(output);
}

function report({ summary }: ICruiseResult): RoomsReport {
  const problems = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} imports ${to}`);
  if (summary.totalCruised < FEWEST_MODULES) {
    problems.push(
      `Only ${summary.totalCruised} modules were seen, at least ${FEWEST_MODULES} are there: the check itself is broken.`,
    );
  }
  return { modules: summary.totalCruised, problems };
}

if (import.meta.main) {
  const { modules, problems } = await checkRooms(REPOSITORY);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) {
    console.error("The table of rooms: ARCHITECTURE.md. The reason for each rule: .dependency-cruiser.mjs.");
    process.exitCode = 1;
  } else {
    console.log(`Rooms: ${modules} modules, every import is where it may be.`);
  }
}
