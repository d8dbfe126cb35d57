import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Client } from "../../http/client/client.ts";
import { createTempRepo, type TempRepo } from "../../testing/temp-repo.ts";
import type { CliContext } from "../context.ts";
import { describeUnseenWork } from "./unseen-work.ts";

let repo: TempRepo;

beforeEach(async () => {
  repo = await createTempRepo({ "README.md": "# Shop\n" });
});
afterEach(() => repo.remove());

function look(context: Partial<CliContext> = {}, path: string | null = repo.checkout): Promise<string> {
  const projects = [{ name: "shop", path, remote: repo.remote, default_branch: "main" }];
  const client = { call: async () => ({ projects }) } as unknown as Client;
  const base = { env: process.env, json: false, quiet: false, color: false };
  return describeUnseenWork({ ...base, ...context } as CliContext, client, "shop");
}

describe("work that is not part of a new task", () => {
  it("is not mentioned if there is none", async () => {
    expect(await look()).toBe("");
  });

  it("is one line with the files, the commits, and where the task starts", async () => {
    const base = (await repo.git("rev-parse", "HEAD")).slice(0, 10);
    await repo.git("commit", "--quiet", "--allow-empty", "--message=local");
    await writeFile(join(repo.checkout, "README.md"), "changed");
    expect(await look()).toBe(
      `Not part of the task: 1 uncommitted file and 1 commit of main. The task starts from origin/main at ${base} (as of the last fetch).\n`,
    );
  });

  it("is not mentioned with --json or --quiet, without a checkout, and if the daemon does not answer", async () => {
    await writeFile(join(repo.checkout, "README.md"), "changed");
    expect(await look({ json: true })).toBe("");
    expect(await look({ quiet: true })).toBe("");
    expect(await look({}, null)).toBe("");
    const gone = { call: () => Promise.reject(new Error("gone")) } as unknown as Client;
    expect(await describeUnseenWork({ env: process.env } as CliContext, gone, "shop")).toBe("");
  });
});
