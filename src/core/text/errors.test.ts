import { describe, expect, it } from "vitest";
import { ConfigError, formatIssue, LeaseLostError, StaleTaskError, UserError } from "./errors.ts";

const issue = { file: "nightshift.yaml", line: 3, column: 7, key: "checks.lint", message: "Expected a command." };

describe("formatIssue()", () => {
  it("contains position, key and message", () => {
    expect(formatIssue(issue)).toBe("nightshift.yaml:3:7: checks.lint: Expected a command.");
  });

  it("omits unknown parts", () => {
    expect(formatIssue({ ...issue, line: null, column: null })).toBe(
      "nightshift.yaml: checks.lint: Expected a command.",
    );
    expect(formatIssue({ ...issue, file: null, line: null, column: null, key: "" })).toBe("Expected a command.");
  });

  it("is one line, whatever file and key are called", () => {
    const named = { ...issue, file: "a\nb.yaml", key: "checks.a\u001b[2J\nAccepted." };
    expect(formatIssue(named)).toBe(String.raw`a\nb.yaml:3:7: checks.a\u001b[2J\nAccepted.: Expected a command.`);
  });
});

describe("errors", () => {
  it("ConfigError contains all issues, one per line", () => {
    const error = new ConfigError([issue, { ...issue, line: 9, key: "" }]);
    expect(error.message.split("\n")).toEqual([
      "nightshift.yaml:3:7: checks.lint: Expected a command.",
      "nightshift.yaml:9:7: Expected a command.",
    ]);
    expect(error.issues).toHaveLength(2);
  });

  it("UserError has a kind and an optional hint", () => {
    expect(new UserError("not_found", "there is no task x")).toMatchObject({
      kind: "not_found",
      hint: null,
      message: "there is no task x",
    });
    expect(new UserError("conflict", "no", "wait").hint).toBe("wait");
  });

  it("have distinct names, also in logs", () => {
    const errors = [new ConfigError([]), new UserError("invalid", ""), new LeaseLostError(), new StaleTaskError()];
    expect(errors.map(({ name }) => name)).toEqual(["ConfigError", "UserError", "LeaseLostError", "StaleTaskError"]);
  });
});
