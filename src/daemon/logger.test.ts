import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { createKnownSecrets } from "./known-secrets.ts";
import { createLogger } from "./logger.ts";

let dir: string;
let echoed: string[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "nightshift-log-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  echoed = [];
});

function open(folder = dir) {
  return createLogger({
    dir: folder,
    echo: (line) => void echoed.push(line),
    redactor: createKnownSecrets({}).current,
  });
}

test("the log is one JSON object per line in a private file named after the day", () => {
  const log = open();
  log.info("started", { pid: 7 });
  log.warn("slow\nly");
  log.error("broke", { run: "run_1" });
  const [file = ""] = readdirSync(dir);
  expect(file).toMatch(/^\d{4}-\d\d-\d\d\.jsonl$/);
  expect(statSync(join(dir, file)).mode & 0o777).toBe(0o600);
  const text = readFileSync(join(dir, file), "utf8");
  expect(echoed.join("")).toBe(text);
  const lines = text.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { level: "info", time: expect.stringMatching(/^\d{4}-.*Z$/), pid: 7, msg: "started" },
    { level: "warn", time: expect.any(String), msg: "slow\nly" },
    { level: "error", time: expect.any(String), run: "run_1", msg: "broke" },
  ]);
});

test("after a write that failed in the middle of a line, the next entry starts a new line", () => {
  const folder = join(dir, "full");
  const log = open(folder);
  log.info("lost");
  mkdirSync(folder);
  const file = join(folder, `${new Date().toISOString().slice(0, 10)}.jsonl`);
  writeFileSync(file, '{"level":"info","ti');
  log.info("first");
  log.info("second");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n").slice(1);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ msg: "first" }, { msg: "second" }]);
});

test("fields that JSON cannot hold and a folder that cannot be written do not throw", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const log = open(join(dir, "missing"));
  log.warn("odd", cycle);
  log.warn("large", { size: 10n });
  expect(echoed.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: "warn", msg: "odd", unreadable_fields: expect.stringContaining("circular") },
    { level: "warn", msg: "large", unreadable_fields: expect.stringContaining("BigInt") },
  ]);
});
