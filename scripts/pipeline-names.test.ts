import { globSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { ROLES } from "../src/core/task/role.ts";

// A pipeline's rules stand in its `policy` block. Code that asks for a pipeline's name, or whether a task walks a list,
// decides a rule that the block should decide: a project's own pipeline would miss it.

const ROOT = path.join(import.meta.dirname, "..");
/** Without "review", which nearly always is the role. `postsReview` says what such a pipeline does. */
const NAMES = readdirSync(path.join(ROOT, "src/builtin/pipelines"))
  .map((file) => file.replace(/\.yaml$/, ""))
  .filter((name) => !ROLES.some((role) => role === name));
const NAME = `(?:"(?:${NAMES.join("|")})"|NIGHTLY\\b)`;
const FORBIDDEN = [
  new RegExp(`[!=]==? ${NAME}|${NAME} [!=]==?|case ${NAME}:`), // a pipeline's name
  /\bitems [!=]==? null|\bitems\?\.|\b(?:task|before|after|ended|current|night)\??\.items\b/, // the list of a task
];
/** The list itself: its walk, and the nightly improvement that walks it. */
const ALLOWED_FOLDERS = ["src/engine/nightly/", "src/core/nightly/", "src/core/pipeline/"];

/** Lines that mean something else, by file: a part of the line, and what it means. */
const EXCEPTIONS: Readonly<Record<string, readonly (readonly [part: string, reason: string])[]>> = {
  "src/config/trust/trust.ts": [['section === "improve"', "the section `improve` of the settings"]],
  "src/config/parse/rules.ts": [["name === NIGHTLY", "the schedule that the section `improve` makes"]],
  "src/daemon/doctor/doctor-night.ts": [["schedule.name !== NIGHTLY", "the schedule that the section `improve` makes"]],
  "src/engine/commands/preview-task.ts": [["categories: task.items?.list", "the preview shows the list"]],
  "src/adapters/stores/sql/tables/task-rows.ts": [["task.items", "the column that keeps the list"]],
};

interface Source {
  readonly file: string;
  readonly text: string;
}

/** `file:line: text` of every line that must not be there. */
function findViolations(sources: readonly Source[]): readonly string[] {
  return sources.flatMap(({ file, text }) => {
    if (ALLOWED_FOLDERS.some((folder) => file.startsWith(folder))) return [];
    const parts = (EXCEPTIONS[file] ?? []).map(([part]) => part);
    return text
      .split("\n")
      .map((line, index) => ({ line, at: `${file}:${index + 1}: ${line.trim()}` }))
      .filter(({ line }) => FORBIDDEN.some((pattern) => pattern.test(line)))
      .filter(({ line }) => !parts.some((part) => line.includes(part)))
      .map(({ at }) => at);
  });
}

function readSources(): readonly Source[] {
  const files = globSync("src/**/*.ts", { cwd: ROOT }).map((file) => file.replaceAll("\\", "/"));
  return files
    .filter((file) => !/\.(test|suite)\.ts$|\/fixtures\/|^src\/testing\//.test(file))
    .map((file) => ({ file, text: readFileSync(path.join(ROOT, file), "utf8") }));
}

describe("the engine", () => {
  test("asks no pipeline for its name and no task for its list: the policy decides", () => {
    expect(findViolations(readSources())).toEqual([]);
  });

  test("has no exception that nothing needs any more", () => {
    const sources = new Map(readSources().map(({ file, text }) => [file, text]));
    const unused = Object.entries(EXCEPTIONS).flatMap(([file, parts]) =>
      parts.filter(([part]) => sources.get(file)?.includes(part) !== true).map(([part]) => `${file}: ${part}`),
    );
    expect(unused).toEqual([]);
  });

  test.each([
    'if (pipeline.name === "improve") return strict;',
    'const isNight = "improve" !== task.pipeline;',
    "if (schedule.pipeline === NIGHTLY) return;",
    '    case "chore":',
    "return task.items !== null ? related : all;",
    "if (items === null) return false;",
    "const item = items?.list[0];",
  ])("is caught at %s", (line) => {
    const file = "src/engine/run/planted.ts";
    expect(findViolations([{ file, text: `// one\n${line}\n` }])).toEqual([`${file}:2: ${line.trim()}`]);
    expect(findViolations([{ file: "src/engine/nightly/planted.ts", text: line }])).toEqual([]);
  });

  test("is not caught at a name that is only handed on, or at other items", () => {
    const text =
      'submit({ pipeline: "improve" });\nconst items = [1];\nconst { items: parts } = schema.items;\nsettings.improve.maxDiffLines;\n';
    expect(findViolations([{ file: "src/engine/run/planted.ts", text }])).toEqual([]);
  });
});
