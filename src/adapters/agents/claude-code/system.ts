import type { Failure, TranscriptEvent } from "../../../core/task/transcript.ts";
import { isRecord } from "./json.ts";

/** What the CLI says of itself. */
export interface SystemLine {
  readonly subtype?: unknown;
  readonly session_id?: unknown;
  readonly mcp_servers?: unknown;
  readonly error?: unknown;
  readonly error_status?: unknown;
  readonly attempt?: unknown;
  readonly max_retries?: unknown;
}

/** Only of use while it is said. */
const HOUSEKEEPING: ReadonlySet<unknown> = new Set([
  "status",
  "thinking_tokens",
  "hook_started",
  "hook_progress",
  "hook_response",
  "task_started",
  "task_progress",
  "task_updated",
  "task_notification",
  "background_tasks_changed",
  "permission_denied", // the tool's result says so too
  "ui_invalidate",
]);

export function readSystem(line: SystemLine): readonly TranscriptEvent[] | null {
  if (line.subtype === "init") return readInit(line);
  if (line.subtype === "api_retry") return readRetry(line);
  return HOUSEKEEPING.has(line.subtype) ? [] : null;
}

function readInit({ session_id: id, mcp_servers: servers }: SystemLine): readonly TranscriptEvent[] | null {
  if (typeof id !== "string" || id === "") return null;
  const events: TranscriptEvent[] = [{ type: "session", id }];
  for (const server of Array.isArray(servers) ? servers : []) {
    if (!isRecord(server) || server["status"] !== "failed") continue;
    // It goes on without, and ends as if all were well.
    const name = typeof server["name"] === "string" ? server["name"] : "without a name";
    events.push({ type: "error", message: `The MCP server ${name} did not start.`, failure: null });
  }
  return events;
}

/** It tries again by itself, so this is no end; but where nobody is logged in, trying is in vain. */
function readRetry(line: SystemLine): readonly TranscriptEvent[] {
  const { error, error_status: status, attempt, max_retries: most } = line;
  if (status === 429 || error === "rate_limit") return [{ type: "limit", kind: "rate", resetsAt: null }];
  const [what, which, of] = [[status, error], [attempt], [most]].map((part) => part.filter(isWord).join(" "));
  const message = `The model did not answer (${what}); attempt ${which} of ${of}.`;
  const isLogin = error === "authentication_failed" && (status === 401 || status === 403);
  return [{ type: "error", message, failure: isLogin ? "login" : null }];
}

function isWord(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/** It also tells how much is left, which is no limit yet; and with extra usage paid for, none is reached. */
export function readLimit({ rate_limit_info: info }: LimitLine): readonly TranscriptEvent[] | null {
  if (!isRecord(info)) return null;
  if (info["status"] !== "rejected" || info["isUsingOverage"] === true) return [];
  const seconds = info["resetsAt"];
  const isTime = typeof seconds === "number" && Number.isFinite(seconds) && seconds > 0;
  return [{ type: "limit", kind: "usage", resetsAt: isTime ? seconds * 1000 : null }];
}

interface LimitLine {
  readonly rate_limit_info?: unknown;
}

/** What ends a run without a result: words on stderr. The agent's own words never stand alone on a line. */
const LAST_WORDS: readonly (readonly [RegExp, Failure])[] = [
  [/^Error: Session ID [\w-]{1,100} (is already in use|already exists)/i, "session_unknown"],
  [/^No (conversation|saved session) found with (session )?ID:? [\w-]{1,100}/, "session_unknown"],
  [/^Reached max session turns for this session\./, "max_turns"],
];

export function readWords(line: string): readonly TranscriptEvent[] | null {
  const failure = LAST_WORDS.find(([pattern]) => pattern.test(line))?.[1];
  return failure === undefined ? null : [{ type: "error", message: line, failure }];
}
