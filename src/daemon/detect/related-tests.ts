/** How each package manager starts a program of the project. */
const EXECUTE: Readonly<Record<string, string>> = {
  npm: "npm exec --",
  pnpm: "pnpm exec",
  yarn: "yarn run",
  bun: "bun run",
};

/** Runners that find the tests of given files. `omit`: arguments of the test script that do not fit. */
const RUNNERS = new Map([
  ["vitest", { run: "related --run --passWithNoTests", omit: /^(run|watch|--run|--watch|--coverage\b.*)$/ }],
  ["jest", { run: "--passWithNoTests --findRelatedTests", omit: /^(--watch(All)?|--coverage\b.*)$/ }],
]);

/** The command that runs the tests of changed files. Null if the test script does not simply start a runner that can tell. */
export function findRelatedTests(manager: string, script: string): string | null {
  const [program = "", ...words] = script.trim().split(/\s+/);
  const runner = RUNNERS.get(program);
  const execute = EXECUTE[manager];
  if (runner === undefined || execute === undefined || !/^[\w\s./:=@-]+$/.test(script)) return null;
  const options = words.filter((word) => !runner.omit.test(word));
  // Jest takes all words after its option as files.
  const parts = program === "jest" ? [...options, runner.run] : [runner.run, ...options];
  return [execute, program, ...parts, "{{files}}"].join(" ");
}
