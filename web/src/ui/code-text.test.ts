import { expect, it } from "vitest";
import { listCommands } from "./code-text.tsx";

it("only what a person can type is a command", () => {
  expect(listCommands("Run `codex login`, or set `CODEX_HOME`, such as `[gemini, --acp]`.")).toEqual(["codex login"]);
});
