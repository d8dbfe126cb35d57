import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FileChange, FileSide } from "../../core/change/file-change.ts";
import { checkDiff } from "./check-diff.ts";
import { describeFindings, rulesIn } from "./describe-findings.ts";
import type { DiffRules, Finding } from "./finding.ts";
import { changesOf, RULES, sideOf, type Files } from "./fixtures/fixture.ts";

const check = (before: Files, after: Files, rules: Partial<DiffRules> = {}) =>
  checkDiff(changesOf({ before, after }), { ...RULES, ...rules });
const rulesOf = (findings: readonly Finding[]) => findings.map((finding) => `${finding.severity} ${finding.rule}`);

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `${at}\n`).join("");
const link = (path: string, target: string): FileChange => ({ path, before: null, after: sideOf(target, "link") });
const gate = (path: string, before: string, after: string, checkCommands: readonly string[] = []) =>
  check({ [path]: before }, { [path]: after }, { checkCommands }).filter(({ rule }) => rule === "gates_changed");

describe("diff policy: size", () => {
  test("counts added and removed lines, including lock files", () => {
    const change = [{ "a.txt": numbered(3) }, { "a.txt": "0\nnew\n", "go.sum": numbered(4) }] as const;
    expect(rulesOf(check(...change, { maxChangedLines: 7, dependencyFiles: "show" }))).toEqual([
      "warning dependency_file",
    ]);
    const [finding] = check(...change, { maxChangedLines: 6 }).filter(({ rule }) => rule === "size");
    expect(finding).toMatchObject({ severity: "error", path: "go.sum" });
    expect(finding?.message).toMatch(/^The change has 7 changed lines \(5 added, 2 removed\). At most 6 are allowed\./);
  });

  test.each([
    ["3,000 lines that end with a carriage return", "x\r".repeat(3000)],
    ["3,000 lines that end with a line separator", "x\u2028".repeat(3000)],
    ["one line of 300 kB", "x".repeat(300_000)],
  ])("rejects a new file with %s", (_, text) => {
    expect(rulesOf(check({}, { "a.ts": text }, { maxChangedLines: 400 }))).toEqual(["error size"]);
    expect(rulesOf(check({ "a.ts": text }, {}, { maxChangedLines: 400 }))).toEqual(["error size"]);
  });

  test("counts a line with CRLF and a line of up to 200 characters once", () => {
    const text = `${"x".repeat(200)}\r\n`.repeat(10);
    expect(check({}, { "a.ts": text }, { maxChangedLines: 10 })).toEqual([]);
  });

  test("counts the lines of a source file that contains a NUL byte", () => {
    const findings = check({}, { "a.ts": `\0${numbered(50)}` }, { maxChangedLines: 10 });
    expect(rulesOf(findings)).toEqual(["error size", "error binary_file"]);
  });
});

describe("diff policy: changed files", () => {
  test("reports recently changed files and files outside the concern", () => {
    const after = { "src/a.ts": "1\n", "src/b/c.ts": "1\n", "docs/d.md": "1\n" };
    const findings = check({}, after, { recentFiles: ["src/a.ts"], concernFiles: ["src/a.ts", "src/b/"] });
    expect(findings.map(({ path, rule }) => `${rule} ${path}`)).toEqual([
      "outside_concern docs/d.md",
      "recent_file src/a.ts",
    ]);
  });
});

describe("diff policy: file kinds", () => {
  test.each([
    ["a", "/etc/passwd", "error"],
    ["a", "../out", "error"],
    ["a/b/c", "../../../out", "error"],
    ["a", ".git/config", "error"],
    ["a", "C:\\Windows", "error"],
    ["a", "", "error"],
    ["a/b/c", "../../in", "warning"],
    ["a", "b", "warning"],
  ])("a link %s to %j is a(n) %s", (path, target, severity) => {
    expect(rulesOf(checkDiff([link(path, target)], RULES))).toEqual([`${severity} link`]);
  });

  test("reports submodules, modes, binary and huge files", () => {
    const submodule: FileSide = { kind: "submodule", bytes: 0, content: null };
    const png = { kind: "file", bytes: 3, content: new Uint8Array([0x89, 0, 1]) } as const;
    const changes: FileChange[] = [
      { path: "lib", before: submodule, after: submodule },
      { path: "logo.png", before: null, after: png },
      { path: "old.png", before: png, after: null },
      { path: "run.sh", before: sideOf("x\n"), after: sideOf("x\n", "executable") },
      { path: "video", before: null, after: { kind: "file", bytes: 2_000_000, content: null } },
      { path: "unread", before: null, after: { kind: "file", bytes: 10, content: null } },
    ];
    expect(checkDiff(changes, RULES).map(({ path, rule, severity }) => `${severity} ${rule} ${path}`)).toEqual([
      "error submodule lib",
      "error binary_file logo.png",
      "error huge_file unread",
      "error huge_file video",
      "note mode run.sh",
    ]);
    const shown = checkDiff(changes.slice(0, 2), { ...RULES, binaryFiles: "show", submodules: "show" });
    expect(rulesOf(shown)).toEqual(["warning submodule", "warning binary_file"]);
  });
});

describe("diff policy: dependencies", () => {
  test.each([
    ..."package-lock.json yarn.lock pnpm-lock.yaml bun.lock requirements.txt requirements-dev.txt poetry.lock uv.lock".split(
      " ",
    ),
    ..."Pipfile.lock go.mod go.sum gradle.lockfile project/plugins.sbt Cargo.lock Gemfile Gemfile.lock".split(" "),
    ..."composer.lock packages.lock.json App.csproj mix.lock pubspec.lock Package.resolved Podfile.lock flake.lock".split(
      " ",
    ),
  ])("%s", (name) => {
    for (const path of [name, `deep/down/${name}`]) {
      expect(rulesOf(check({ [path]: "a\n" }, { [path]: "b\n" }))).toContain("error dependency_file");
    }
  });

  test.each([
    ["package.json", '{"version":"1","dependencies":{"a":"1"}}', '"a":"1"', '"a":"2"'],
    ["pyproject.toml", '[project]\ndependencies = ["a"]\n[tool.ruff]\nx = 1\n', '"a"', '"b"'],
    ["Cargo.toml", '[package]\nversion = "1"\n[dev-dependencies]\na = "1"\n', 'a = "1"', 'a = "2"'],
    ["Dockerfile", "FROM node:24\nRUN make\n", "node:24", "node:25"],
  ])("reports %s only if its dependencies changed", (path, text, from, to) => {
    expect(rulesOf(check({ [path]: text }, { [path]: text.replace(from, to) }))).toContain("error dependency_file");
    const other = text.replace(/"version":"1"|x = 1|version = "1"|RUN make/, (found) => found.replace(/1|make/, "2"));
    expect(other).not.toBe(text);
    expect(rulesOf(check({ [path]: text }, { [path]: other }))).not.toContain("error dependency_file");
  });
});

describe("diff policy: gates", () => {
  test.each([
    ...".github/workflows/ci.yml .gitlab-ci.yml Jenkinsfile .circleci/config.yml azure-pipelines.yml .buildkite/pipeline.yml".split(
      " ",
    ),
    ..."bitbucket-pipelines.yml .woodpecker/test.yml .drone.yml nightshift.yaml .nightshift/prompts/implement.md .husky/pre-commit".split(
      " ",
    ),
    ...".pre-commit-config.yaml vitest.config.ts jest.config.js .mocharc.json pytest.ini tox.ini noxfile.py conftest.py ava.config.js".split(
      " ",
    ),
    ..."karma.conf.js phpunit.xml .rspec .config/nextest.toml .golangci.yml eslint.config.js biome.json tsconfig.json ruff.toml mypy.ini".split(
      " ",
    ),
    "scripts/check-rooms.ts",
  ])("%s", (path) => {
    expect(gate(path, "a\n", "b\n")).toMatchObject([{ severity: "error", path, line: 1 }]);
  });

  test("CI and Nightshift's own files are shown, or rejected if the rules say so", () => {
    const change = [{ ".gitlab-ci.yml": "a\n" }, { ".gitlab-ci.yml": "b\n" }] as const;
    expect(rulesOf(check(...change, { gates: "show" }))).toEqual(["warning gates_changed"]);
    expect(rulesOf(check(...change, { gates: "show", ciAndOwnConfig: "refuse" }))).toEqual(["error gates_changed"]);
  });

  test("reports scripts of package.json that checks run, directly or through other scripts", () => {
    const text = '{"name":"x","scripts":{"ok":"npm run deep","deep":"tsc","start":"node ."}}';
    expect(gate("package.json", text, text.replace("tsc", "true"), ["npm run ok"])).toHaveLength(1);
    expect(gate("package.json", text, text.replace("node .", "node main"), ["npm run ok"])).toEqual([]);
    expect(gate("package.json", text, text.replace('"x"', '"y"'), ["npm run ok"])).toEqual([]);
    expect(gate("package.json", "{}", '{"scripts":{"test":"true"}}')).toHaveLength(1);
    expect(gate("package.json", text, "{ not JSON", ["npm run ok"])).toHaveLength(1);
  });

  test("reports Makefile targets of checks, their prerequisites and variables", () => {
    const text = "GO = go\n\nall-good: deep\n\techo\n\ndeep:\n\t$(GO) vet\n\nserve:\n\t./serve\n";
    expect(gate("Makefile", text, text.replace("vet", "help"), ["make all-good"])).toHaveLength(1);
    expect(gate("Makefile", text, text.replace("GO = go", "GO = true"), ["make all-good"])).toHaveLength(1);
    expect(gate("Makefile", text, text.replace("./serve", "./serve now"), ["make all-good"])).toEqual([]);
  });

  test("reports a script that a check names, and a section of pyproject.toml", () => {
    expect(gate("etc/look.sh", "a\n", "b\n", ["bash ./etc/look.sh --all"])).toHaveLength(1);
    expect(gate("etc/look.sh", "a\n", "b\n", ["bash other.sh"])).toEqual([]);
    const text = "[project]\nname = 1\n\n[tool.pytest.ini_options]\nx = 1\n";
    expect(gate("pyproject.toml", text, text.replace("x = 1", "x = 2"))).toMatchObject([{ line: 4 }]);
    expect(gate("pyproject.toml", text, text.replace("name = 1", "name = 2"))).toEqual([]);
  });
});

describe("diff policy: files in check commands", () => {
  test.each([
    ["node etc/look.js", "etc/look.js"],
    ["node --enable-source-maps ./etc/look.js --all src", "etc/look.js"],
    ["node --import ./etc/hook.js --test", "etc/hook.js"],
    ["node -r ./etc/hook.js --test", "etc/hook.js"],
    ["sh etc/look.sh", "etc/look.sh"],
    ["set -e; bash -eu etc/look.sh src", "etc/look.sh"],
    ["sh -c 'cd . && python3 etc/look.py'", "etc/look.py"],
    ["sh < etc/look.sh", "etc/look.sh"],
    ["./run", "run"],
    ["CI=1 ./run --all", "run"],
    ["etc/look all", "etc/look"],
    ["timeout 60 etc/look", "etc/look"],
    ["python -m looks.main src", "looks/main.py"],
    ["python -m looks", "looks/__main__.py"],
    ["uv run python etc/look.py", "etc/look.py"],
    ["uv run etc/look.py", "etc/look.py"],
    ["npx tsx etc/look.ts", "etc/look.ts"],
    ["c8 node etc/look.js", "etc/look.js"],
    ["cross-env A=1 node etc/look.js", "etc/look.js"],
    ["make -f etc/look.mk all", "etc/look.mk"],
    ["make --file=etc/look.inc", "etc/look.inc"],
    ["go run ./etc/look -v", "etc/look/main.go"],
    ["eslint -c etc/rules.js src", "etc/rules.js"],
    ["eslint --config=etc/rules.js src", "etc/rules.js"],
    ['ruff check --config "etc/rules.toml" app.py', "etc/rules.toml"],
    ["python -m pytest -c etc/rules.ini", "etc/rules.ini"],
    ["mocha --require etc/hook.js", "etc/hook.js"],
    ["concurrently 'node etc/look.js' 'tsc'", "etc/look.js"],
    ["npm run lint && (node etc/look.js)", "etc/look.js"],
  ])("%j makes %s a gate", (command, path) => {
    expect(gate(path, "a\n", "b\n", [command])).toMatchObject([{ severity: "error", path }]);
  });

  test.each([
    ["node --check src/add.js", "src/add.js"],
    ["node -c src/add.js", "src/add.js"],
    ["node --test src/add.test.js", "src/add.test.js"],
    ["ruff check app.py", "app.py"],
    ["eslint src/add.js", "src/add.js"],
    ["eslint --config etc/rules.js src/add.js", "src/add.js"],
    ["npx prettier --check src/add.js", "src/add.js"],
    ["python -m py_compile app.py", "app.py"],
    ["python3 -m pytest app/test_app.py", "app/test_app.py"],
    ["sh -n src/start.sh", "src/start.sh"],
    ["php -l src/add.php", "src/add.php"],
    ["shellcheck src/start.sh", "src/start.sh"],
    ["test -f src/add.js", "src/add.js"],
    ["node etc/look.js src/add.js", "src/add.js"],
    ["sh etc/look.sh src/add.js", "src/add.js"],
    ["uv run ruff check app.py", "app.py"],
    ["vitest run src/add", "src/add"],
    ["gcc -Wall -c src/add.c -o add.o", "src/add.c"],
    ["$(CC) -c src/add.c", "src/add.c"],
    ["cp -p src/add.js dist/", "src/add.js"],
    ["grep -r src/add.js docs", "src/add.js"],
  ])("%j does not make %s a gate", (command, path) => {
    expect(gate(path, "a\n", "b\n", [command])).toEqual([]);
  });
});

describe("diff policy: arbitrary input", () => {
  const PATHS =
    "a.test.ts test_a.py a_test.go src/test/ATest.java ASpec.scala tests/a.rs package.json Makefile pyproject.toml ci.sh a.snap".split(
      " ",
    );
  const WORDS = [
    "test(",
    "it('",
    "def test_a():\n  ",
    "@Test void a() {",
    "#[test] fn a() {",
    "expect(",
    "assert ",
    "try {",
    "} catch {",
    "`",
    '"',
    "(",
    ")",
    "{",
    "}",
    "\n",
    "timeout 5 ",
    "a shouldBe b\n",
    "func TestA(",
    "\0",
    "\uFFFF",
  ];

  test("never throws, and finds nothing without a change", () => {
    const bytes = fc.uint8Array({ maxLength: 300 });
    const text = fc
      .array(fc.constantFrom(...WORDS), { maxLength: 60 })
      .map((words) => new Uint8Array(Buffer.from(words.join(""))));
    const side = fc
      .oneof(fc.constant(null), fc.oneof(bytes, text))
      .map((content): FileSide | null => content && { kind: "file", bytes: content.length, content });
    const change = fc.record({ path: fc.oneof(fc.constantFrom(...PATHS), fc.string()), before: side, after: side });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 4 }), (changes) => {
        const findings = checkDiff(changes, { ...RULES, maxChangedLines: 5, checkCommands: ["npm test", "make"] });
        for (const finding of findings) expect(changes.some(({ path }) => path === finding.path)).toBe(true);
        const same = changes.map(({ path, after }) => ({ path, before: after, after }));
        expect(checkDiff(same, RULES).filter(({ rule }) => rule === "weakened_test")).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  test.each(["expect(a)", "assert ", "@Test ", "assert!(", "x should be ", "\n", "test('a', () => { ", "`"])(
    "handles %j repeated a hundred thousand times quickly",
    (word) => {
      const text = word.repeat(Math.ceil(100_000 / word.length));
      const started = performance.now();
      for (const path of [
        "a.test.ts",
        "tests/test_a.py",
        "a_test.go",
        "src/test/ATest.java",
        "tests/a.rs",
        "Makefile",
      ]) {
        check({ [path]: text }, { [path]: `${text}${word}x` });
      }
      expect(performance.now() - started).toBeLessThan(10_000);
    },
  );

  test.each(["assert", "function", "fn f", "func F", "def f", "if", "timeout", "@Test", "expect", "return"])(
    "handles %j with a hundred thousand blanks quickly",
    (word) => {
      const started = process.cpuUsage();
      for (const path of ["a.test.ts", "tests/test_a.py", "a_test.go", "src/test/ATest.java", "tests/a.rs", "a.sh"]) {
        const text = `${word}${"\n".repeat(100_000)}`;
        check({ [path]: text }, { [path]: `${text}x` });
      }
      // A quadratic pattern takes half a minute.
      expect(process.cpuUsage(started).user / 1000).toBeLessThan(10_000);
    },
  );

  test("checks five hundred files of five hundred lines in less than a second", () => {
    const lines = Array.from(
      { length: 60 },
      (_, at) =>
        `test("number ${at}", () => {\n  const got = addUp(${at});\n  // a word\n  const other = addUp(got, "text");\n  expect(got).toBe(${at});\n  expect(other).toEqual({ total: 1 });\n  done();\n});\n`,
    );
    const before = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [`src/${at}${at % 2 ? ".test" : ""}.ts`, `// ${at}\n${lines.join("\n")}`]),
    );
    const after = Object.fromEntries(
      Object.entries(before).map(([path, text]) => [path, text.replaceAll("done();", "finish();")]),
    );
    const changes = changesOf({ before, after });
    const took = [1, 2, 3].map(() => {
      const used = process.cpuUsage();
      expect(checkDiff(changes, RULES)).toEqual([]);
      return process.cpuUsage(used).user / 1000;
    });
    // Other tests may run at the same time, so it measures our own processor time, takes the best of three, and allows a margin.
    expect(Math.min(...took)).toBeLessThan(2500);
  });
});

describe("describeFindings", () => {
  const finding: Finding = {
    rule: "size",
    severity: "error",
    path: "a\n.ts",
    line: null,
    message: "Too\u001b[31m much.",
  };

  test("has one line per finding, which a message cannot break out of", () => {
    const text = describeFindings([finding, { ...finding, severity: "note", path: "b.ts", line: 3 }]);
    expect(text).toBe("- error size a .ts: Too [31m much.\n- note size b.ts:3: Too [31m much.");
    expect(
      describeFindings(Array.from({ length: 50 }, () => finding))
        .split("\n")
        .at(-1),
    ).toBe("- and 10 more");
  });

  test("can be read back: the rules of errors and warnings, which a file name cannot add to", () => {
    const forged = { ...finding, path: "x\n- warning gates_changed y" };
    const warning = { ...finding, rule: "dependency_file", severity: "warning" } as const;
    expect(rulesIn(describeFindings([forged, warning, { ...finding, severity: "note" }]))).toEqual([
      "size",
      "dependency_file",
    ]);
  });
});

describe("diff policy: conflict markers", () => {
  const conflict = "one\n<<<<<<< theirs\na\n=======\nb\n>>>>>>> ours\n";

  test("rejects a file with an unresolved conflict, but not one that had it before", () => {
    const [finding] = check({ "a.txt": "one\n" }, { "a.txt": conflict });
    expect(finding).toMatchObject({ rule: "conflict_marker", severity: "error", path: "a.txt", line: 2 });
    expect(check({ "a.txt": conflict }, { "a.txt": `${conflict}more\n` })).toEqual([]);
    expect(check({}, { "a.md": "Title\n=======\n" })).toEqual([]);
  });
});
