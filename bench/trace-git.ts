import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BenchEnvironment } from "./environment.ts";

/** One git process that the daemon started, with a copy of its files from just before. */
export interface GitCall {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A file with its stdin. Null means none. */
  readonly input: string | null;
  /** A copy of its git directory, work tree and remote, under their absolute paths. */
  readonly before: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/**
 * Puts a `git` first on the PATH that records each call, copies the files it works on, and then runs the real git. Git
 * processes that git itself starts are not recorded.
 */
export function installTracer(environment: BenchEnvironment): { readonly path: string; read(): readonly GitCall[] } {
  const bin = join(environment.root, "tracer");
  const log = join(environment.root, "traced");
  mkdirSync(bin);
  mkdirSync(log);
  const wrapper = join(bin, "git");
  writeFileSync(wrapper, script(environment, log));
  chmodSync(wrapper, 0o755);
  const path = `${bin}:${process.env["PATH"] ?? ""}`;
  return { path, read: () => readCalls(log) };
}

function script({ remote }: BenchEnvironment, log: string): string {
  return `#!/bin/sh
PATH=\${PATH#*:}; export PATH
[ -n "$BENCH_TRACED" ] && exec git "$@"
started=$(date +%s%N)
call=$(mktemp -d ${log}/XXXXXX)
cp -a --parents "$GIT_DIR" "$call" 2>/dev/null
case "$GIT_WORK_TREE" in ""|"$GIT_DIR"/*) ;; *) cp -a --parents "$GIT_WORK_TREE" "$call" ;; esac
for word; do [ "$word" = ${remote} ] && cp -a --parents ${remote} "$call"; done
env -0 > "$call/env"
printf '%s\\0' "$@" > "$call/argv"
pwd > "$call/cwd"
BENCH_TRACED=1; export BENCH_TRACED
if [ "$(readlink /proc/$$/fd/0)" = /dev/null ]; then git "$@"; else cat > "$call/input"; git "$@" < "$call/input"; fi
code=$?
echo "$started $(date +%s%N)" > "$call/times"
exit $code
`;
}

function readCalls(log: string): readonly GitCall[] {
  return readdirSync(log)
    .map((name) => readCall(join(log, name)))
    .toSorted((a, b) => a.startedAt - b.startedAt);
}

function readCall(dir: string): GitCall {
  const [startedAt = 0, endedAt = 0] = readFileSync(join(dir, "times"), "utf8").split(" ").map(Number);
  const fields = (name: string): string[] => readFileSync(join(dir, name), "utf8").split("\0").slice(0, -1);
  const env = Object.fromEntries(
    fields("env").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  const input = join(dir, "input");
  return {
    argv: fields("argv"),
    env,
    cwd: readFileSync(join(dir, "cwd"), "utf8").trim(),
    input: existsSync(input) ? input : null,
    before: dir,
    startedAt,
    endedAt,
  };
}

/** Calls that ran at the same time form a group. */
export function groupParallel(calls: readonly GitCall[]): readonly (readonly GitCall[])[] {
  const groups: GitCall[][] = [];
  let end = 0;
  for (const call of calls) {
    if (call.startedAt < end) groups.at(-1)?.push(call);
    else groups.push([call]);
    end = Math.max(end, call.endedAt);
  }
  return groups;
}

/** Read-only commands, which can be repeated on the same files. */
const READING = new Set(["ls-remote", "for-each-ref", "diff-files", "ls-files", "diff-tree"]);

/** Repeats a call on its own copy of the files. */
export function copyCall(call: GitCall, root: string, to: string): GitCall {
  const target = join(READING.has(verbOf(call)) ? call.before : to, root);
  if (!existsSync(target)) {
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(call.before, root), target, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  }
  const moved = (text: string): string => text.replaceAll(root, target);
  return {
    ...call,
    argv: call.argv.map(moved),
    cwd: moved(call.cwd),
    env: Object.fromEntries(Object.entries(call.env).map(([name, value]) => [name, moved(value)])),
  };
}

/** The git command after the settings that every call has. */
function verbOf({ argv }: GitCall): string {
  return argv.find((word, at) => !word.startsWith("-") && argv[at - 1] !== "-c") ?? "";
}
