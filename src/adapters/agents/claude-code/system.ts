import type { Failure, SessionEvent, TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import { isRecord, type Json } from "./json.ts";

/** Subtypes that the transcript does not need. */
const IGNORED_SUBTYPES: ReadonlySet<unknown> = new Set([
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
  "permission_denied", // the tool result reports it too
  "ui_invalidate",
]);

/** Reads a status line of the CLI. */
export function readSystem(line: Json): readonly TranscriptEvent[] | null {
  if (line["subtype"] === "init") return readInit(line);
  if (line["subtype"] === "api_retry") return readRetry(line);
  return IGNORED_SUBTYPES.has(line["subtype"]) ? [] : null;
}

function readInit(line: Json): readonly TranscriptEvent[] | null {
  const { session_id: id, mcp_servers: servers } = line;
  if (typeof id !== "string" || id === "") return null;
  const events: TranscriptEvent[] = [readSession(id, line)];
  for (const server of Array.isArray(servers) ? servers : []) {
    if (!isRecord(server) || server["status"] !== "failed") continue;
    // Claude continues without the server and reports success.
    const name = typeof server["name"] === "string" ? server["name"] : "without a name";
    events.push({ type: "error", message: `The MCP server ${name} did not start.`, failure: null });
  }
  return events;
}

function readSession(id: string, { claude_code_version: version, model, tools, cwd: directory }: Json): SessionEvent {
  return {
    type: "session",
    id,
    ...(typeof version === "string" && { version }),
    ...(typeof model === "string" && { model }),
    ...(Array.isArray(tools) && { tools: tools.filter((tool) => typeof tool === "string") }),
    ...(typeof directory === "string" && { directory }),
  };
}

/** Claude retries by itself, so this does not end the run. But retries cannot help if the login failed. */
function readRetry(line: Json): readonly TranscriptEvent[] {
  const { error, error_status: status, attempt, max_retries: maxRetries } = line;
  if (status === 429 || error === "rate_limit") return [{ type: "limit", kind: "rate", resetsAt: null }];
  const reason = [status, error].filter(isPrintable).join(" ");
  const [current, last] = [attempt, maxRetries].map((value) => (isPrintable(value) ? value : ""));
  const message = `The model did not answer (${reason}); attempt ${current} of ${last}.`;
  const isLogin = error === "authentication_failed" && (status === 401 || status === 403);
  return [{ type: "error", message, failure: isLogin ? "login" : null }];
}

function isPrintable(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

/** The event also reports the remaining usage, which is not a limit. With paid extra usage no limit is reached. */
export function readLimit({ rate_limit_info: info }: Json): readonly TranscriptEvent[] | null {
  if (!isRecord(info)) return null;
  if (info["status"] !== "rejected" || info["isUsingOverage"] === true) return [];
  const seconds = info["resetsAt"];
  const isTime = typeof seconds === "number" && Number.isFinite(seconds) && seconds > 0;
  return [{ type: "limit", kind: "usage", resetsAt: isTime ? seconds * 1000 : null }];
}

/** Errors on stderr that end a run without a result line. The agent's own text is never printed as a plain line. */
const FATAL_LINES: readonly (readonly [RegExp, Failure])[] = [
  [/^Error: Session ID [\w-]{1,100} (is already in use|already exists)/i, "session_unknown"],
  [/^No (conversation|saved session) found with (session )?ID:? [\w-]{1,100}/, "session_unknown"],
  [/^Reached max session turns for this session\./, "max_turns"],
];

export function readPlainLine(line: string): readonly TranscriptEvent[] | null {
  const failure = FATAL_LINES.find(([pattern]) => pattern.test(line))?.[1];
  return failure === undefined ? null : [{ type: "error", message: line, failure }];
}
