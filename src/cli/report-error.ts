import { CommanderError } from "commander";
import { ConfigError, formatIssue, UserError } from "../core/errors.ts";
import { terminalText } from "../core/terminal-text.ts";
import { ProblemError, UnreachableError } from "../http/client.ts";
import type { ExitCode } from "./exit.ts";

interface Report {
  readonly message: string;
  readonly hint: string | null;
  readonly code: ExitCode;
}

/** The one place that turns an error into words and an exit code. */
export function reportError(error: unknown, json: boolean): ExitCode {
  // Commander has already said what was wrong, or shown the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const report = describeError(error);
  if (json) process.stdout.write(`${JSON.stringify({ error: { message: report.message, hint: report.hint, exit: report.code } })}\n`);
  else process.stderr.write(terminalText(`${report.message}\n${report.hint === null ? "" : `→ ${report.hint}\n`}`));
  return report.code;
}

function describeError(error: unknown): Report {
  if (error instanceof ProblemError) return describeProblem(error);
  if (error instanceof UnreachableError) return { message: error.message, hint: "nightshift start starts one; nightshift doctor looks for what is wrong", code: 4 };
  if (error instanceof ConfigError) return { message: error.issues.map(formatIssue).join("\n"), hint: null, code: 2 };
  if (error instanceof UserError) return { message: error.message, hint: error.hint, code: error.kind === "conflict" || error.kind === "unavailable" ? 1 : 2 };
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message: `This is a bug in Nightshift: ${detail}`, hint: "please report it with the lines above", code: 1 };
}

function describeProblem({ status, detail, hint, issues }: ProblemError): Report {
  const message = issues.length === 0 ? detail : issues.map(formatIssue).join("\n");
  return { message, hint, code: [400, 404, 422].includes(status) ? 2 : 1 };
}
