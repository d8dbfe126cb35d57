import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { realDirectory } from "./real-directory.ts";

test("realDirectory follows links, also above directories that do not exist yet", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-resolve-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "real"));
  symlinkSync("real", join(folder, "link"));
  expect(realDirectory(join(folder, "link"))).toBe(join(folder, "real"));
  expect(realDirectory(join(folder, "link/new/deep"))).toBe(join(folder, "real/new/deep"));
  expect(realDirectory(relative(process.cwd(), join(folder, "link/..")))).toBe(folder);
  expect(realDirectory("/")).toBe("/");
});
