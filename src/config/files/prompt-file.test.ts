import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Settings } from "../../core/settings/settings.ts";
import { createProjectFiles } from "./project-files.ts";
import { REGISTRY } from "../../daemon/wire/registry.ts";

const BUILTIN = join(import.meta.dirname, "../../builtin");
const OWN = "repo/.nightshift/prompts/review.md";

let dir: string;
let files: ReturnType<typeof createProjectFiles>;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "nightshift-prompts-"));
  await mkdir(join(dir, "repo/.git"), { recursive: true });
  files = createProjectFiles({ configDir: join(dir, "home"), builtinDir: BUILTIN, format: REGISTRY.format });
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), text);
}

async function trusted() {
  const path = join(dir, "repo");
  const { wanted } = await files.pendingTrust({ path }, "{}");
  return { name: "shop", path, accepted: wanted };
}

async function review(): Promise<Settings["roles"]["review"]> {
  return (await files.settings(await trusted())).roles.review;
}

describe("front matter of a prompt", () => {
  it.each([
    ["---\nmodel: [\n---\nLook.\n", /review\.md:3:1: is not valid YAML/],
    ["---\n- model\n---\nLook.\n", /review\.md:2:1: found a list; allowed: keys and values/],
    ["---\nmodle: x\n---\nLook.\n", /review\.md:2:1: modle: unknown key `modle`; did you mean `model`\?/],
    [
      "---\nmodel: x\nLook closely.\n",
      /review\.md:1:1: starts with `---`, but no second line `---` ends the front matter/,
    ],
    ["---", /review\.md:1:1: starts with `---`/],
  ])("that is invalid is reported when it should be accepted, and is never used: %j", async (text, sentence) => {
    await write(OWN, "Look.\n");
    const before = await trusted();
    await write(OWN, text);
    await expect(trusted()).rejects.toThrow(sentence);
    await expect(files.settings(before)).rejects.toThrow(/review\.md: has changed/);
  });

  it("problems of all prompts are reported at once, including those that nightshift.yaml names", async () => {
    await write(OWN, "---\nmodle: x\n---\n");
    await write("repo/nightshift.yaml", "roles: { plan: { prompt: my-plan.md } }\n");
    await write("repo/my-plan.md", "---\ntimeout: soon\n---\n");
    await expect(trusted()).rejects.toThrow(/my-plan\.md:2:10: timeout[\s\S]*review\.md:2:1: modle/);
  });

  it("is optional, and a line of dashes within the text is not front matter", async () => {
    await write(OWN, "Look.\n\n---\n\nAnd look again.\n");
    expect(await files.prompt(await trusted(), "review")).toContain("---");
  });

  it("configures the role and is not part of the prompt", async () => {
    await write(
      OWN,
      "---\nrole: review\nagent: codex\nmodel: gpt-5.1\ntimeout: 3m\nmax_turns: 7\nmax_budget_usd: 1.5\ntools: [Read]\n---\nLook closely.\n",
    );
    expect(await review()).toMatchObject({
      agent: "codex",
      model: "gpt-5.1",
      timeoutMs: 180_000,
      maxTurns: 7,
      maxBudgetUsd: 1.5,
      tools: ["Read"],
    });
    expect(await files.prompt(await trusted(), "review")).toBe("Look closely.\n");
    expect((await files.settings(await trusted())).roles.plan.agent).toBeNull();
  });

  it("is overridden by nightshift.yaml, whose agent does not get the model of the front matter", async () => {
    await write(OWN, "---\nagent: codex\nmodel: gpt-5.1\nmax_turns: 7\ntimeout: 3m\n---\nx");
    await write("repo/nightshift.yaml", "roles: { review: { agent: gemini, max_turns: 9 } }\n");
    expect(await review()).toMatchObject({ agent: "gemini", model: null, maxTurns: 9, timeoutMs: 180_000 });
  });

  it("also applies in a file that nightshift.yaml names", async () => {
    await write("repo/nightshift.yaml", "roles: { review: { prompt: docs/ours.md } }\n");
    await write("repo/docs/ours.md", "---\nmax_turns: 3\n---\nours");
    await write(OWN, "---\nmax_turns: 7\n---\nnot this one");
    expect((await review()).maxTurns).toBe(3);
  });

  it("cannot exceed the limits of config.yaml", async () => {
    await write("home/config.yaml", "roles: { review: { max_budget_usd: 2, prompt: mine.md } }\n");
    await write("home/mine.md", "---\ntimeout: 4m\nmax_budget_usd: 9\n---\nmine");
    expect(await review()).toMatchObject({ maxBudgetUsd: 2, timeoutMs: 240_000 });
    await write(OWN, "---\nmax_budget_usd: 50\ntimeout: 2h\n---\nours");
    expect(await review()).toMatchObject({ maxBudgetUsd: 2, timeoutMs: 240_000 });
    expect(await files.prompt(await trusted(), "review")).toBe("ours");
  });

  it("is used only exactly as a person accepted it", async () => {
    await write(OWN, "---\nmax_turns: 7\n---\nx");
    const before = await trusted();
    await write(OWN, "---\nmax_turns: 90000\n---\nx");
    await expect(files.settings(before)).rejects.toThrow(/review\.md: has changed .*`nightshift trust`/);
  });

  it("problems have file, line, key, the found value and the allowed values", async () => {
    await write(OWN, "---\r\nmodle: x\r\ntimeout: soon\r\nmax_turns: many\r\n---\r\nx");
    const lines = await review().catch((error: Error) => error.message.split("\n"));
    expect(lines).toEqual([
      expect.stringMatching(/review\.md:2:1: modle: unknown key `modle`; did you mean `model`\? allowed: .*tools/),
      expect.stringMatching(/review\.md:3:10: timeout: found `"soon"`; allowed: .*`?30s/),
      expect.stringMatching(/review\.md:4:12: max_turns: found `"many"`; allowed: a number/),
    ]);
    await write(OWN, "---\nrole: plan\n---\nx");
    await expect(review()).rejects.toThrow(
      /review\.md:2:7: role: found `plan`, but this file is the prompt of `review`/,
    );
    await write(OWN, "---\nagent: [\n---\nx");
    await expect(review()).rejects.toThrow(/review\.md:\d+:\d+: is not valid YAML/);
  });

  it("an undefined agent is reported with its position", async () => {
    await write(OWN, "---\nmax_turns: 3\nagent: codx\n---\nx");
    await expect(review()).rejects.toThrow(/review\.md:3:8: agent: there is no agent `codx`; did you mean `codex`\?/);
  });
});
