import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTempDir, type TempDir } from "../testing/temp-repo.ts";
import { createPage } from "./page.ts";

let dir: TempDir;

beforeEach(async () => {
  dir = await createTempDir();
});

afterEach(async () => {
  await dir.remove();
});

async function makePage(): Promise<string> {
  const folder = join(dir.path, "page");
  await mkdir(join(folder, "assets"), { recursive: true });
  await writeFile(join(folder, "index.html"), "<!doctype html>the page");
  await writeFile(join(folder, "assets", "main-1a2b.js"), "start();");
  await writeFile(join(dir.path, "daemon.json"), "secret");
  return folder;
}

it("every address without a file name shows the page, with a policy that forbids inline and foreign scripts", async () => {
  const page = createPage(await makePage());
  for (const path of ["/", "/inbox", "/tasks/task_1/diff", "/nights/2026-11-15"]) {
    const response = await page(path);
    expect(await response?.text()).toContain("the page");
    expect(response?.headers.get("cache-control")).toBe("no-cache");
    const policy = response?.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  }
});

it("bundled files may be kept forever, because their names change with their content", async () => {
  const response = await createPage(await makePage())("/assets/main-1a2b.js");
  expect(response?.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(response?.headers.get("cache-control")).toContain("immutable");
});

it("no path leads out of the folder of the page", async () => {
  const page = createPage(await makePage());
  const paths = [
    "/../daemon.json",
    "/assets/../../daemon.json",
    "/%2e%2e/daemon.json",
    "/..%2fdaemon.json",
    "//daemon.json",
  ];
  for (const path of paths) expect((await (await page(path))?.text()) ?? "").not.toContain("secret");
});

it("a missing file is not answered with the page", async () => {
  expect(await createPage(await makePage())("/assets/old-9f.js")).toBeNull();
});

it("a page that is not built says how to build it", async () => {
  const response = await createPage(join(dir.path, "nothing"))("/");
  expect(response?.status).toBe(503);
  expect(await response?.text()).toContain("npm run build:page");
});
