import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { ROLE_DEFAULTS } from "./role-defaults.ts";

const ALLOWED_VERBS = ["create", "list", "view"];

test("role defaults: `publish` may create and view change requests, but not merge, approve or close them", () => {
  const { tools } = ROLE_DEFAULTS.publish;
  expect(tools.filter((tool) => /glab|\bgh\b/.test(tool))).toEqual(
    ["glab mr", "gh pr"].flatMap((requests) => ALLOWED_VERBS.map((verb) => `Bash(${requests} ${verb}:*)`)),
  );
});

test("role defaults: the prompt of `publish` lists the same tools", async () => {
  const prompt = await readFile(join(import.meta.dirname, "../../builtin/prompts/publish.md"), "utf8");
  const [, head = ""] = prompt.split("---\n");
  expect((parse(head) as { tools: unknown }).tools).toEqual(ROLE_DEFAULTS.publish.tools);
});
