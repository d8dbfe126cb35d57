/** A part of the output that says what failed. */
export interface Failure {
  /** `error`: reported by a compiler, linter or type checker. `details`: more about a test that is named elsewhere. */
  readonly kind: "test" | "error" | "details";
  /** The test's name, which identifies it in two outputs of the same command, or the error without its position. */
  readonly name: string;
  /** Index of its first line in the output. */
  readonly start: number;
  /** Index after its last line. */
  readonly end: number;
}

interface Format {
  readonly kind: Failure["kind"];
  /** Matches the first line of a failure, with its name in the group `name`. */
  readonly line: RegExp;
  /** Matches a line after the failure's text. The next failure ends it too. */
  readonly end?: RegExp;
  /** How many lines the text may have, including the first. Default: 40. */
  readonly lines?: number;
  /** Only applies to outputs that contain this, because other programs print similar lines. */
  readonly only?: RegExp;
}

const MAX_LINES = 40;
/** The name and the message are on one line. */
const SUMMARY_LINES = 1;
const JEST_END = /^(?:Test Suites:|(?:PASS|FAIL) )/;

/** One row per format. For each line, the first row that matches applies. */
const FORMATS: readonly Format[] = [
  // vitest: ` FAIL  src/cart.test.ts > cart > adds the tax`; with brackets, the file could not be loaded
  { kind: "test", line: /^ ?FAIL {2,}(?<name>\S.* > .*)$/, end: /^⎯{10,}/ },
  { kind: "error", line: /^ ?FAIL {2,}(?<name>\S+ \[ .+ \])$/, end: /^⎯{10,}/ },
  // jest: `  ● cart › adds the tax`
  { kind: "error", line: /^ {2}● (?<name>(?:.+ › )?Test suite failed to run)$/, end: JEST_END },
  { kind: "test", line: /^ {2}● (?<name>(?!Console$).+)$/, end: JEST_END },
  // node:test as spec, in the run and below "failing tests:", and as TAP
  { kind: "test", line: /^ *✖ (?<name>(?!failing tests:).+?) \(\d[\d.]*ms\).*$/u, end: /^(?:test at | *[✔✖▶ℹ﹣] )/u },
  { kind: "test", line: /^ *not ok \d+ - (?<name>(?!.* # (?:TODO|SKIP)).+?)$/, end: /^ *\.\.\.$/ },
  // pytest: the summary has the names, the sections have the details
  { kind: "test", line: /^(?:FAILED|ERROR) (?<name>\S+\.py::.+?)(?: - .*)?$/, lines: SUMMARY_LINES },
  { kind: "error", line: /^ERROR (?<name>\S+\.py)(?: - .*)?$/, lines: SUMMARY_LINES },
  { kind: "details", line: /^_{3,} (?<name>.+) _{3,}$/, end: /^(?:_{3,} |={3,} )/ },
  // unittest: `FAIL: test_total (test_cart.CartTest.test_total)`
  { kind: "test", line: /^(?:FAIL|ERROR): (?<name>\w+ \([\w.]+\))/, end: /^={20,}|^Ran \d+ tests?/ },
  // go test
  { kind: "test", line: /^ *--- FAIL: (?<name>\S+) \([\d.]+s\)$/, end: /^(?:FAIL|ok|PASS|---|===)\b/ },
  { kind: "error", line: /^FAIL\t(?<name>\S+ \[(?:build|setup) failed\])$/, lines: SUMMARY_LINES },
  // cargo test: the sections have the details, the list has names only; nextest
  { kind: "test", line: /^---- (?<name>\S+) stdout ----$/, end: /^failures:$/ },
  { kind: "test", line: /^test (?<name>\S+) \.\.\. FAILED$/, lines: SUMMARY_LINES },
  { kind: "test", line: /^ +FAIL \[ *[\d.]+s\] (?:\( *\d+\/\d+\) )?(?<name>\S.*)$/, lines: SUMMARY_LINES },
  // rustc
  {
    kind: "error",
    line: /^(?<name>error(?:\[E\d+\])?: (?!could not compile|test failed|aborting).+)$/,
    end: /^$/,
    lines: 12,
  },
  // Gradle: `CartTest > addsTax() FAILED`; Maven: `[ERROR] CartTest.addsTax:12 expected: <3>`
  { kind: "test", line: /^(?<name>[\w.$]+(?: > .+)+) FAILED$/, end: /^$/ },
  { kind: "test", line: /^\[ERROR\] {1,3}(?<name>[\w.$]+(?:\.|->)[\w$]+):(?:\d+|->).*$/, lines: SUMMARY_LINES },
  { kind: "error", line: /^\[ERROR\] \S+\.\w+:\[\d+,\d+\] (?<name>.+)$/, lines: 4 },
  // ScalaTest and munit: `[info] - adds the tax *** FAILED ***`, `==> X CartSuite.adds the tax`
  { kind: "test", line: /^\[info\] - (?<name>.+?) \*\*\* FAILED \*\*\*/, lines: 6 },
  { kind: "test", line: /^==> X (?<name>.+?) +[\d.]+s/, end: /^==> |^$/ },
  // dotnet test: `  Failed Shop.CartTest.AddsTax [12 ms]`
  { kind: "test", line: /^ {2}Failed (?<name>\S.*?) \[[^\]]+\]$/, end: /^ {2}(?:Passed|Skipped) / },
  { kind: "error", line: /^(?<name>.+?\(\d+,\d+\): error [A-Z]+\d+: .+)$/, lines: SUMMARY_LINES },
  // mocha, ExUnit and rspec number their failures; PHPUnit has no indentation
  {
    kind: "test",
    line: /^ {2}\d+\) (?<name>.+?):?$/,
    only: /^ +\d+ failing$|\d+ (?:examples?|tests?), \d+ failures?/m,
  },
  { kind: "test", line: /^\d+\) (?<name>[\w\\]+::\w+.*)$/, end: /^$/ },
  // minitest: `CartTest#test_total [test/cart_test.rb:5]:`
  { kind: "test", line: /^(?<name>[\w:]+#test_\w+) \[.+\]:$/, end: /^$/ },
  // bun and Deno
  { kind: "test", line: /^\(fail\) (?<name>.+?)(?: \[[\d.]+m?s\])?$/, lines: SUMMARY_LINES },
  { kind: "test", line: /^(?<name>.+?) => \.?\/?\S+:\d+:\d+$/, end: /^$/, only: /^(?:ok|FAILED) \| \d+ passed/m },
  // tsc: `src/cart.ts(3,14): error TS2322: …` is matched above, `src/cart.ts:3:14 - error TS2322: …` here
  { kind: "error", line: /^(?<name>\S+:\d+:\d+ - error TS\d+: .+)$/, end: /^$/, lines: 6 },
  // mypy, flake8, ruff (short), clang, javac, go build: `cart.py:3: error: …`
  { kind: "error", line: /^(?<name>\S+\.\w+:\d+(?::\d+)?: (?:error|fatal error|[A-Z]{1,4}\d{3,4})\b.*)$/, lines: 3 },
  { kind: "error", line: /^(?<name>\.?[\w./-]+\.go:\d+:\d+: .+)$/, lines: SUMMARY_LINES },
  // ruff (full): `F401 [*] …` above an arrow
  {
    kind: "error",
    line: /^(?<name>[A-Z]{1,4}\d{3,4} (?:\[\*\] )?.+)$/,
    end: /^$/,
    lines: 8,
    only: /^ +--> \S+:\d+:\d+$/m,
  },
  // eslint: the name of a file, then `  3:14  error  …  rule`
  { kind: "error", line: /^(?<name>\/\S+\.\w+)$/, end: /^$/, only: /^ +\d+:\d+ +error +/m },
];

/** Longer lines are output of programs that do not break lines, such as minified code. */
const MAX_WIDTH = 2_000;

/** Finds failed tests, and then everything else, in the output of a check. Empty if no known program printed it. */
export function findFailures(lines: readonly string[]): readonly Failure[] {
  const text = lines.join("\n");
  const formats = FORMATS.filter(({ only }) => only === undefined || only.test(text));
  const starts = lines.flatMap((line, index) => {
    if (line.length > MAX_WIDTH) return [];
    for (const format of formats) {
      const name = format.line.exec(line)?.groups?.["name"];
      if (name !== undefined) return [{ format, name: name.trim(), index }];
    }
    return [];
  });
  const found = starts.map(({ format, name, index }, at): Failure => {
    const next = starts[at + 1]?.index ?? lines.length;
    const limit = Math.min(next, index + (format.lines ?? MAX_LINES));
    const end = endOf(lines, format, index, limit);
    return { kind: format.kind, name: withoutPosition(format, name), start: index, end };
  });
  return [...keepLongest(found.filter(({ kind }) => kind === "test")), ...found.filter(({ kind }) => kind !== "test")];
}

/** Many runners name a failed test in the run and again in a summary. Only one of them has the details. */
function keepLongest(failures: readonly Failure[]): readonly Failure[] {
  const kept = new Map<string, Failure>();
  for (const failure of failures) {
    const before = kept.get(failure.name);
    if (before === undefined || failure.end - failure.start > before.end - before.start)
      kept.set(failure.name, failure);
  }
  return [...kept.values()];
}

function endOf(lines: readonly string[], { end }: Format, start: number, limit: number): number {
  if (end === undefined) return limit;
  for (let at = start + 1; at < limit; at++) if (end.test(lines[at] ?? "")) return at;
  return limit;
}

/** Lines move when a file changes, so an error is identified by its text. */
function withoutPosition({ kind }: Format, name: string): string {
  return kind !== "error" ? name : name.replace(/^(\S*?)(?::\d+(?::\d+)?|\(\d+,\d+\))/, "$1");
}

export function failedTests(failures: readonly Failure[]): readonly string[] {
  return failures.filter(({ kind }) => kind === "test").map(({ name }) => name);
}
