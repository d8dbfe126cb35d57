import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { ROLE_DEFAULTS } from "./role-defaults.ts";

const OPENING = ["create", "list", "view"];

test("who publishes may open and look, and neither merge, approve nor close", () => {
  const { tools } = ROLE_DEFAULTS.publish;
  expect(tools.filter((tool) => /glab|\bgh\b/.test(tool))).toEqual(
    ["glab mr", "gh pr"].flatMap((requests) => OPENING.map((verb) => `Bash(${requests} ${verb}:*)`)),
  );
});

test("its prompt says the same", async () => {
  const prompt = await readFile(join(import.meta.dirname, "../../builtin/prompts/publish.md"), "utf8");
  const [, head = ""] = prompt.split("---\n");
  expect((parse(head) as { tools: unknown }).tools).toEqual(ROLE_DEFAULTS.publish.tools);
});
