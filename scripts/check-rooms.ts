import path from "node:path";
import { cruise, type ICruiseResult } from "dependency-cruiser";
import extractOptions from "dependency-cruiser/config-utl/extract-depcruise-options";
import extractTsConfig from "dependency-cruiser/config-utl/extract-ts-config";

// With an unknown TypeScript version, dependency-cruiser finds no modules and reports no violations, so a minimum is required.
const FEWEST_MODULES = 30;

const REPOSITORY = path.join(import.meta.dirname, "..");

export interface RoomsReport {
  readonly modules: number;
  /** One message per forbidden import, and one if too few modules were checked. */
  readonly problems: readonly string[];
}

/** Checks `root/src` against the rules in `.dependency-cruiser.mjs`. */
export async function checkRooms(root: string): Promise<RoomsReport> {
  const options = await extractOptions(path.join(REPOSITORY, ".dependency-cruiser.mjs"));
  const tsConfig = extractTsConfig(path.join(REPOSITORY, "tsconfig.json"));
  const { output } = await cruise(["src"], { ...options, baseDir: root }, undefined, { tsConfig });
  if (typeof output === "string") throw new TypeError("dependency-cruiser returned text instead of a result.");
  return report(output);
}

function report({ summary }: ICruiseResult): RoomsReport {
  const problems = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} imports ${to}`);
  if (summary.totalCruised < FEWEST_MODULES) {
    problems.push(
      `Only ${summary.totalCruised} modules were checked, but there are at least ${FEWEST_MODULES}. The check itself is broken.`,
    );
  }
  return { modules: summary.totalCruised, problems };
}

if (import.meta.main) {
  const { modules, problems } = await checkRooms(REPOSITORY);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) {
    console.error(
      "See ARCHITECTURE.md for the table of rooms and .dependency-cruiser.mjs for the reason of each rule.",
    );
    process.exitCode = 1;
  } else {
    console.log(`Rooms: ${modules} modules, all imports are allowed.`);
  }
}
