import { expect, test } from "vitest";
import { ConfigError, UserError } from "../core/text/errors.ts";
import { ProblemError, UnreachableError } from "../http/client/client.ts";
import { DaemonStartError } from "./exit.ts";
import { describeError } from "./report-error.ts";

const problem = (status: number): ProblemError =>
  new ProblemError({ status, title: "No", detail: "no such task", hint: "look", issues: [] });
const issue = { file: "nightshift.yaml", line: 2, column: 3, key: "checs", message: "unknown key" };

test.for<[name: string, error: unknown, code: number, words: string]>([
  [
    "a read-only home",
    Object.assign(new Error("EROFS: x"), { code: "EROFS", path: "/h" }),
    1,
    "/h cannot be used: its disk is read-only.",
  ],
  [
    "a folder in a read-only home",
    Object.assign(new Error("ENOENT: x"), { code: "ENOENT", syscall: "mkdir", path: "/h/logs" }),
    1,
    "/h/logs cannot be used: its disk is read-only.",
  ],
  [
    "a full disk",
    Object.assign(new Error("ENOSPC: x"), { code: "ENOSPC" }),
    1,
    "Nightshift's home cannot be used: its disk is full.",
  ],
  ["invalid request", problem(400), 2, "no such task"],
  ["not found", problem(404), 2, "no such task"],
  ["too large", problem(413), 2, "no such task"],
  ["conflict", problem(409), 1, "no such task"],
  ["missing right", problem(403), 1, "no such task"],
  [
    "an invalid file",
    new ConfigError([issue, { ...issue, line: 5 }]),
    2,
    "nightshift.yaml:2:3: checs: unknown key\nnightshift.yaml:5:3",
  ],
  [
    "an invalid file reported by the daemon",
    new ProblemError({ status: 422, title: "", detail: "", hint: null, issues: [issue] }),
    2,
    "nightshift.yaml:2:3: checs",
  ],
  ["an unreachable daemon", new UnreachableError("http://127.0.0.1:1/api", null), 4, "http://127.0.0.1:1"],
  ["a daemon that cannot be started", new DaemonStartError("port in use", { hint: "see", code: 4 }), 4, "port in use"],
  ["invalid usage", new UserError("invalid", "no"), 2, "no"],
  ["a bug in Nightshift", new TypeError("x is undefined"), 1, "a bug in Nightshift: TypeError: x is undefined"],
])("report error: %s", ([, error, code, words]) => {
  const report = describeError(error);
  expect(report.code).toBe(code);
  expect(report.message).toContain(words);
});
