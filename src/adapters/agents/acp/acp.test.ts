import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { exampleRun, testAgent } from "../../../testing/suites/agent.suite.ts";
import { acp } from "./acp.ts";

const settings = (command: readonly string[]) => ({ command });

testAgent("acp", {
  create: () => acp(settings(["gemini", "--acp"])),
  lines: [['{"type":"text","text":"hi"}', [{ type: "text", text: "hi" }]]],
});

describe("acp", () => {
  it("needs a command", () => {
    expect(() => acp(settings([]))).toThrow("needs a `command`");
  });

  it("mounts every file that its client imports", () => {
    const { argv, read } = acp(settings(["my-agent", "/opt/agent.js"])).command(exampleRun("implement"));
    expect(read).toContain("/opt/agent.js");
    expect(read).toEqual(expect.arrayContaining([...importsOf(argv[1] ?? "")]));
    for (const path of read) expect(path === "/opt/agent.js" || existsSync(path), path).toBe(true);
  });

  it("configures the gateway for known agents only", () => {
    const known = acp(settings(["/opt/bin/claude-agent-acp"]));
    expect(known.capabilities.gateway).toBe("anthropic");
    expect(known.command(exampleRun("implement")).env).toEqual({
      ANTHROPIC_BASE_URL: "http://127.0.0.1:3129",
      ANTHROPIC_API_KEY: "nonce-of-the-run",
    });
    expect(known.command(exampleRun("implement", { gateway: null })).env).toEqual({});
    const unknown = acp(settings(["my-agent"]));
    expect(unknown.capabilities.gateway).toBeNull();
    expect(unknown.command(exampleRun("implement")).env).toEqual({});
  });
});

/** The file and everything of ours that it imports at run time. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(file, "utf8");
  const next = [...text.matchAll(/^import (?!type)[^;]*? from "(\.[^"]+)";/gm)].map(([, path = ""]) =>
    join(dirname(file), path),
  );
  return [file, ...next.flatMap(importsOf)];
}
