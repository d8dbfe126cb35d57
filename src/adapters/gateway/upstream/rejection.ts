import type { ServerResponse } from "node:http";
import type { ModelApi } from "../../../ports/agent.ts";

/** An error response of the gateway itself. */
export interface Rejection {
  readonly status: 400 | 401 | 404 | 413 | 415 | 502;
  readonly message: string;
}

const ANTHROPIC_TYPES: Readonly<Record<Rejection["status"], string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  404: "not_found_error",
  413: "request_too_large",
  415: "invalid_request_error",
  502: "api_error",
};

const GEMINI_STATUSES: Readonly<Record<Rejection["status"], string>> = {
  400: "FAILED_PRECONDITION",
  401: "UNAUTHENTICATED",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  415: "INVALID_ARGUMENT",
  502: "UNAVAILABLE",
};

/** Sends an error in the format of the API, so that the CLI shows the message and does not retry in vain. */
export function reject(response: ServerResponse, api: ModelApi, { status, message }: Rejection): void {
  // Too late for an error response: the client sees a broken stream.
  if (response.headersSent) return void response.destroy();
  const body = JSON.stringify(formatError(api, status, message));
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    // The rest of the request body is not read.
    ...(status === 413 && { connection: "close" }),
  });
  response.end(body);
}

function formatError(api: ModelApi, status: Rejection["status"], message: string): unknown {
  if (api === "anthropic") return { type: "error", error: { type: ANTHROPIC_TYPES[status], message } };
  if (api === "gemini") return { error: { code: status, message, status: GEMINI_STATUSES[status] } };
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message, type, param: null, code: status === 401 ? "invalid_api_key" : null } };
}
