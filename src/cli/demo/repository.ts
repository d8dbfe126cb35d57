import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { demoScripts } from "./scripts/scripts.ts";

const FILES: Readonly<Record<string, string>> = {
  "README.md": `# Corner café

- \`greet.sh\` greets the day shift.
- \`total.sh\` adds up the prices of an order.
- \`test.sh\` runs all tests.
`,
  "greet.sh": `#!/bin/sh
echo "Hello, night shift!"
`,
  "total.sh": `#!/bin/sh
# Reads lines such as "tea 2.50" and prints the sum of the prices.
awk '{ sum += $2 } END { printf "%.2f\\n", sum }'
`,
  "test.sh": `#!/bin/sh
# Runs all tests and reports every failure.
result=0
for file in tests/*.sh; do sh "$file" || result=1; done
exit $result
`,
  "tests/expect.sh": `# Compares what a script prints with what it should print.
expect() {
  [ "$2" = "$3" ] && echo "ok $1" && return
  echo "not ok $1: wanted \\"$3\\", got \\"$2\\""
  exit 1
}
`,
  "tests/greet.sh": `. tests/expect.sh
expect "greets the night shift" "$(sh greet.sh)" "Hello, night shift!"
`,
  "tests/total.sh": `. tests/expect.sh
expect "adds two prices" "$(printf 'tea 2.50\\nscone 3.25\\n' | sh total.sh)" "5.75"
`,
  "nightshift.yaml": `project: demo
agent: greeter
time_zone: UTC
checks:
  test: { command: sh test.sh }
repair_attempts: 2
`,
};

/** A repository of a few shell scripts with their tests, and a bare repository as its remote. */
export function createRepository(dir: string): void {
  const repo = join(dir, "repo");
  for (const [name, content] of Object.entries(FILES)) writeDeep(join(repo, name), content);
  const git = (...args: readonly string[]): void => {
    execFileSync(
      "git",
      ["-c", "user.name=Demo", "-c", "user.email=demo@localhost", "-c", "commit.gpgsign=false", ...args],
      { cwd: repo, stdio: "pipe" },
    );
  };
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=Scripts of a corner café, with tests");
  git("init", "--quiet", "--bare", "--initial-branch=main", join(dir, "remote.git"));
  git("remote", "add", "origin", join(dir, "remote.git"));
  git("push", "--quiet", "origin", "main");
}

/** Writes config.yaml with one scripted agent for each task. */
export function writeDemoConfig(dir: string, sandbox: "enforce" | "none"): void {
  const agents = Object.entries(demoScripts(Date.now())).map(([name, steps]) => {
    const script = join(dir, "scripts", `${name}.json`);
    writeDeep(script, JSON.stringify(steps, null, 2));
    return `  ${name}: { kind: scripted, script: ${JSON.stringify(script)} }\n`;
  });
  const settings = `sandbox: { mode: ${sandbox} }\nlimits: { concurrent_runs: 4 }\nagents:\n${agents.join("")}`;
  writeDeep(join(dir, "home", "config.yaml"), settings);
}

function writeDeep(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, content);
}
