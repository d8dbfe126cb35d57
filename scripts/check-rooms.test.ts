import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkRooms } from "./check-rooms.ts";

let root: string;

beforeAll(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), "rooms-"));
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

/** Valid imports for every cell of the table, in a tree that is large enough for the check. */
const ALLOWED: Record<string, readonly string[]> = {
  "core/task.ts": ["zod", "./pipeline.ts"],
  "core/pipeline.ts": [],
  "core/task.test.ts": ["./task.ts", "../testing/store.suite.ts", "vitest", "node:fs"],
  "ports/store.ts": ["../core/task.ts", "../policy/diff.ts"],
  "engine/run/attempt.ts": ["../../core/task.ts", "../../ports/store.ts", "../transact.ts", "node:crypto"],
  "engine/transact.ts": [],
  "adapters/process/run.ts": ["../../core/task.ts", "../../ports/store.ts", "yaml", "node:child_process"],
  "adapters/git/mirror.ts": ["../process/run.ts", "../../ports/store.ts"],
  "adapters/sandboxes/none.ts": ["../process/run.ts"],
  "adapters/stores/sqlite/store.ts": ["../../git/mirror.ts", "../shared.ts", "node:sqlite"],
  "adapters/stores/shared.ts": ["../../core/task.ts"],
  "supervisor/main.ts": ["../adapters/process/run.ts", "../adapters/sandboxes/none.ts", "../ports/store.ts"],
  "config/read.ts": ["../core/task.ts", "node:fs"],
  "policy/diff.ts": ["../core/task.ts", "zod"],
  "http/client/client.ts": ["../../core/task.ts", "../table.ts"],
  "http/table.ts": ["../ports/store.ts", "../engine/run/attempt.ts"],
  "cli/main.ts": [
    "../core/task.ts",
    "../config/read.ts",
    "../http/client/client.ts",
    "../daemon/doctor/doctor.ts",
    "../daemon/detect/detect.ts",
  ],
  "mcp/report.ts": ["../core/task.ts", "../http/client/client.ts"],
  "daemon/wire/wire.ts": [
    "../../adapters/stores/sqlite/store.ts",
    "../../engine/run/attempt.ts",
    "../../http/table.ts",
    "../../config/read.ts",
  ],
  "daemon/doctor/doctor.ts": ["../../adapters/git/mirror.ts"],
  "daemon/detect/detect.ts": ["../../config/read.ts"],
  "daemon/main.ts": ["./wire/wire.ts", "../engine/run/attempt.ts"],
  "testing/store.suite.ts": ["../ports/store.ts", "../adapters/stores/sqlite/store.ts", "vitest", "yaml"],
  "adapters/stores/fixtures/write.ts": ["../../../testing/store.suite.ts"],
  "builtin/data.ts": [],
};

/** Rule, file, and an import that breaks the rule. */
const FORBIDDEN: readonly (readonly [string, string, string])[] = [
  ["room-core", "core/a.ts", "../ports/store.ts"],
  ["room-core", "core/d.ts", "../policy/diff.ts"],
  ["room-policy", "policy/a.ts", "../ports/store.ts"],
  ["room-ports", "ports/a.ts", "../engine/run/attempt.ts"],
  ["room-engine", "engine/commands/a.ts", "../../adapters/process/run.ts"],
  ["room-engine", "engine/commands/b.ts", "../../config/read.ts"],
  ["room-supervisor", "supervisor/a.ts", "../adapters/stores/shared.ts"],
  ["room-supervisor", "supervisor/b.ts", "../engine/run/attempt.ts"],
  ["room-config", "config/a.ts", "../ports/store.ts"],
  ["room-http", "http/a.ts", "../adapters/git/mirror.ts"],
  ["room-http", "http/b.ts", "../config/read.ts"],
  ["room-cli", "cli/a.ts", "../engine/run/attempt.ts"],
  ["room-cli", "cli/b.ts", "../daemon/wire/wire.ts"],
  ["room-cli", "cli/c.ts", "../http/table.ts"],
  ["room-mcp", "mcp/a.ts", "../engine/run/attempt.ts"],
  ["room-daemon", "daemon/wire/a.ts", "../../cli/main.ts"],
  ["room-adapters", "adapters/sandboxes/a.ts", "../stores/shared.ts"],
  ["room-adapters", "adapters/git/b.ts", "../../engine/run/attempt.ts"],
  ["adapters-are-built-in-wire", "daemon/a.ts", "../adapters/process/run.ts"],
  ["core-is-pure", "core/b.ts", "node:fs"],
  ["core-is-pure", "core/c.ts", "yaml"],
  ["ports-are-contracts", "ports/b.ts", "zod"],
  ["ports-are-contracts", "ports/c.ts", "node:path"],
  ["engine-uses-ports", "engine/commands/c.ts", "node:fs/promises"],
  ["engine-uses-ports", "engine/commands/d.ts", "node:child_process"],
  ["engine-uses-ports", "engine/commands/e.ts", "node:sqlite"],
  ["engine-uses-ports", "engine/commands/f.ts", "node:timers/promises"],
  ["engine-imports-go-down", "engine/nightly/a.ts", "../run/attempt.ts"],
  ["engine-imports-go-down", "engine/transact.ts", "./commands/c.ts"],
  ["engine-imports-go-down", "engine/run/prepare/a.ts", "../../commands/c.ts"],
  ["engine-parts-are-known", "engine/elsewhere.ts", "./transact.ts"],
  ["databases-are-adapters", "daemon/doctor/a.ts", "node:sqlite"],
  ["testing-is-for-tests", "daemon/b.ts", "../testing/store.suite.ts"],
  ["cli-is-not-imported", "http/c.ts", "../cli/main.ts"],
  ["builtin-is-data", "config/b.ts", "../builtin/data.ts"],
  ["no-development-packages", "config/c.ts", "vitest"],
  ["no-unknown-packages", "config/d.ts", "left-pad"],
  ["no-unknown-packages", "config/e.ts", "./nowhere.ts"],
];

test("room check: valid imports pass, and each kind of violation is caught by its own rule", async () => {
  await plant();
  expect((await checkRooms(root)).problems).toEqual([]);

  for (const [, file, specifier] of FORBIDDEN) await write(file, [specifier]);
  await write("engine/commands/circle-a.ts", ["./circle-b.ts"]);
  await write("engine/commands/circle-b.ts", ["./circle-a.ts"]);
  await writeFile(
    path.join(root, "src/core/types.ts"),
    'import type { S } from "../ports/store.ts";\nexport type T = S;\n',
  );

  const { problems } = await checkRooms(root);
  for (const [rule, file, specifier] of FORBIDDEN) {
    expect(problems, `${file} imports ${specifier}`).toContainEqual(
      expect.stringContaining(`${rule}: src/${file} imports`),
    );
  }
  expect(problems).toContainEqual(expect.stringContaining("no-circular-imports: src/engine/commands/circle-a.ts"));
  expect(problems, "a type is an import as well").toContainEqual(
    expect.stringContaining("room-core: src/core/types.ts"),
  );
});

test("room check: fails if it saw almost no modules", async () => {
  await rm(path.join(root, "src"), { recursive: true, force: true });
  await write("core/lonely.ts", []);

  expect((await checkRooms(root)).problems).toEqual([expect.stringContaining("Only 1 modules were checked")]);
});

async function plant(): Promise<void> {
  for (const name of ["zod", "yaml", "vitest"]) {
    const directory = path.join(root, "node_modules", name);
    await mkdir(directory, { recursive: true });
    await writeFile(path.join(directory, "package.json"), JSON.stringify({ name, version: "1.0.0", main: "index.js" }));
    await writeFile(path.join(directory, "index.js"), "");
  }
  const packages = { dependencies: { zod: "1.0.0", yaml: "1.0.0" }, devDependencies: { vitest: "1.0.0" } };
  await writeFile(path.join(root, "package.json"), JSON.stringify({ name: "rooms", version: "1.0.0", ...packages }));

  for (const [file, specifiers] of Object.entries(ALLOWED)) await write(file, specifiers);
  for (let index = 0; index < 20; index += 1) await write(`core/filler-${index}.ts`, []);
}

async function write(file: string, specifiers: readonly string[]): Promise<void> {
  const target = path.join(root, "src", file);
  await mkdir(path.dirname(target), { recursive: true });
  const imports = specifiers.map((specifier, index) => `import * as a${index} from "${specifier}";\n`).join("");
  const names = specifiers.map((_, index) => `a${index}`).join(", ");
  await writeFile(target, `${imports}export const all = [${names}];\n`);
}
