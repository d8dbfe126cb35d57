import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Client } from "../../http/client/client.ts";
import { createTempDir, type TempDir } from "../../testing/temp-repo.ts";
import type { CliContext } from "../context.ts";
import { findProjectName } from "./find-project.ts";

let dir: TempDir;
let path: string;

beforeEach(async () => {
  dir = await createTempDir();
  path = await realpath(dir.path);
  await mkdir(join(path, ".git"));
});
afterEach(() => dir.remove());

function look(names: readonly string[], project: string | null = null): Promise<string> {
  const client = { call: async () => ({ projects: names.map((name) => ({ name, path })) }) };
  return findProjectName({ cwd: path, project } as CliContext, client as unknown as Client);
}

test("find project: uses --project, otherwise the project of the current folder", async () => {
  expect(await look(["shop"])).toBe("shop");
  expect(await look(["shop", "web"], "web")).toBe("web");
});

test("find project: two projects for one folder are an error", async () => {
  await expect(look(["shop", "web"])).rejects.toMatchObject({
    kind: "conflict",
    message: `${path} is registered as shop and as web.`,
    hint: expect.stringContaining("--remove web"),
  });
});

test("find project: a directory without a repository contains its subfolders, but no repository in it", async () => {
  const plain = await createTempDir();
  try {
    const root = await realpath(plain.path);
    await mkdir(join(root, "a/b"), { recursive: true });
    await mkdir(join(root, "repository/.git"), { recursive: true });
    const client = { call: async () => ({ projects: [{ name: "plain", path: root }] }) } as unknown as Client;
    const find = (cwd: string) => findProjectName({ cwd: join(root, cwd), project: null } as CliContext, client);
    expect([await find("."), await find("a/b")]).toEqual(["plain", "plain"]);
    await expect(find("repository")).rejects.toThrow("repository is not registered.");
  } finally {
    await plain.remove();
  }
});
