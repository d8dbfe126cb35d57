import { describe, expect, it } from "vitest";
import { describeRejectedKey, findKeyProblem } from "./model-access.ts";

describe("key of a model", () => {
  it.each([
    "",
    "  ",
    "\n",
    "…",
    "sk-…",
    "...",
    "<key>",
    "$ANTHROPIC_API_KEY",
    "your-api-key",
    "xxxx",
    "sk a",
    "sk\nb",
    "sk\u0007b",
    "schlüssel",
    '"sk-ant-1"',
    "'sk-ant-1'",
  ])("%j cannot be used, and the message says what to do", (key) => {
    const problem = findKeyProblem("anthropic", { ANTHROPIC_API_KEY: key });
    expect(problem).toContain("nightshift auth add ANTHROPIC_API_KEY");
    expect(problem).toContain("environment of the daemon");
  });

  it("a missing key names every variable that can hold it", () => {
    expect(findKeyProblem("anthropic", {})).toContain("ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN");
  });

  it.each(["sk-ant-api03-x_Y-z", "sk-ant-1\n", "test"])("%j can be used", (key) => {
    expect(findKeyProblem("anthropic", { ANTHROPIC_API_KEY: key })).toBeNull();
  });

  it("a rejected key is named with the command that replaces it", () => {
    const env = { CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat" };
    expect(describeRejectedKey("anthropic", env)).toContain('run "nightshift auth add CLAUDE_CODE_OAUTH_TOKEN"');
    expect(describeRejectedKey("anthropic", {})).toBeNull();
  });

  it("the message does not contain the key", () => {
    expect(findKeyProblem("openai", { OPENAI_API_KEY: "sk-secret two" })).not.toContain("sk-secret");
  });
});
