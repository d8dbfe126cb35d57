import { explainFileError } from "../core/text/explain-file-error.ts";
import { ConfigError, formatIssue, UserError } from "../core/text/errors.ts";
import { terminalJson } from "../core/text/terminal-text.ts";
import { withoutCredentials } from "../core/text/without-credentials.ts";
import { ProblemError, UnreachableError, UnresponsiveError } from "../http/client/client.ts";
import { DaemonStartError, type ExitCode } from "./exit.ts";
import { adviseUnresponsive } from "./daemon/find-daemon.ts";
import { hangMessage } from "./print/terminal/message.ts";

export interface Report {
  readonly message: string;
  readonly hint: string | null;
  readonly code: ExitCode;
}

/** Prints an error and returns its exit code. All commands report their errors here. */
export function reportError(error: unknown, json: boolean): ExitCode {
  if (isCommanderError(error)) return reportWrongUse(error, json);
  const report = describeError(error);
  if (json) printJson(report);
  else {
    const screen = { color: false, width: process.stderr.isTTY ? process.stderr.columns : undefined };
    const hint = report.hint === null ? "" : `→ ${hangMessage(screen, report.hint, "  ")}\n`;
    process.stderr.write(`${hangMessage(screen, report.message, "")}\n${hint}`);
  }
  return report.code;
}

function reportWrongUse({ exitCode, message, hint }: CommanderLike, json: boolean): ExitCode {
  // Commander has already printed the requested help or version.
  if (exitCode === 0) return 0;
  // Without --json, commander has already printed the message.
  if (json)
    printJson({
      message: message.replace(/^error: /, ""),
      hint: hint ?? 'Run "nightshift --help" for a list of commands.',
      code: 2,
    });
  return 2;
}

function printJson({ message, hint, code }: Report): void {
  process.stdout.write(`${terminalJson({ error: { message, hint, exit: code } })}\n`);
}

export function describeError(error: unknown): Report {
  const { message, hint, code } = toReport(error);
  return { message: withoutCredentials(message), hint: hint === null ? null : withoutCredentials(hint), code };
}

function toReport(error: unknown): Report {
  if (error instanceof ProblemError) return describeProblem(error);
  if (error instanceof UnreachableError)
    return {
      message: error.message,
      hint: 'Run "nightshift start" to start it, or "nightshift doctor" to find the cause.',
      code: 4,
    };
  if (error instanceof UnresponsiveError)
    return { message: error.message, hint: adviseUnresponsive(process.env), code: 4 };
  if (error instanceof DaemonStartError) return { message: error.message, hint: error.hint, code: error.code };
  if (error instanceof ConfigError) return { message: error.issues.map(formatIssue).join("\n"), hint: null, code: 2 };
  if (error instanceof UserError)
    return {
      message: error.message,
      hint: error.hint,
      code: error.kind === "conflict" || error.kind === "unavailable" ? 1 : 2,
    };
  const explained = explainFileError(error);
  if (explained !== null) return { message: explained.message, hint: explained.hint, code: 1 };
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    message: `This is a bug in Nightshift: ${detail}`,
    hint: "Please report it and include the lines above.",
    code: 1,
  };
}

function describeProblem({ status, detail, hint, issues }: ProblemError): Report {
  const message = issues.length === 0 ? detail : issues.map(formatIssue).join("\n");
  return { message, hint, code: [400, 404, 413, 422].includes(status) ? 2 : 1 };
}

interface CommanderLike {
  readonly code: string;
  readonly exitCode: number;
  readonly message: string;
  /** Set by the command that was used wrongly. */
  readonly hint?: string;
}

/** Checks the shape instead of the class, because importing commander here would slow down every command. */
function isCommanderError(error: unknown): error is CommanderLike {
  return error instanceof Error && error.name === "CommanderError" && "exitCode" in error;
}
