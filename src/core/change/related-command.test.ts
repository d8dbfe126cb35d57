import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { relatedCommand } from "./related-command.ts";

const check = { command: "npm test", related: "printf '%s\\n' {{files}}" };

describe("relatedCommand", () => {
  it("contains the files that remain after a change", () => {
    expect(relatedCommand(check, ["src/a.ts", "b.test.ts"])).toBe("printf '%s\\n' src/a.ts b.test.ts");
  });

  it("is the check's own command if there is no related command or no file", () => {
    expect(relatedCommand({ ...check, related: null }, ["a"])).toBe("npm test");
    expect(relatedCommand(check, [])).toBe("npm test");
    expect(relatedCommand(check, Array.from({ length: 201 }, String))).toBe("npm test");
  });

  it("quotes file names", () => {
    const names = ["a b", "$(touch evil)", "`touch evil`", "it's", "x;touch evil", "--help", "$&", "-n", "ü *", "a\nb"];
    const said = execFileSync("sh", ["-c", relatedCommand(check, names)], { encoding: "utf8" });
    expect(said).toBe(names.map((name) => `${name.startsWith("-") ? "./" : ""}${name}\n`).join(""));
  });
});
