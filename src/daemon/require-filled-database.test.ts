import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { homePaths, type HomePaths } from "../config/files/paths.ts";
import { requireFilledDatabase } from "./require-filled-database.ts";

let paths: HomePaths;

beforeEach(async () => {
  paths = homePaths(await mkdtemp(join(tmpdir(), "nightshift-home-")));
});
afterEach(async () => {
  await rm(paths.home, { recursive: true });
});

it("an empty database is refused if there are runs of earlier tasks", async () => {
  await mkdir(join(paths.runs, "run_0123456789"), { recursive: true });
  expect(() => requireFilledDatabase(paths)).not.toThrow();
  await writeFile(paths.db, "");
  expect(() => requireFilledDatabase(paths)).toThrow(/is empty, but .*runs has runs of earlier tasks/);
  await writeFile(paths.db, "content");
  expect(() => requireFilledDatabase(paths)).not.toThrow();
});

it("an empty database is accepted in a new home", async () => {
  await writeFile(paths.db, "");
  expect(() => requireFilledDatabase(paths)).not.toThrow();
  await mkdir(paths.runs);
  expect(() => requireFilledDatabase(paths)).not.toThrow();
});
