import type { ServerResponse } from "node:http";
import type { ModelApi } from "../../../ports/agent.ts";

/** A request that gets no further than us; the sentence is for people, the shape for their CLI. */
export interface Refusal {
  readonly status: 400 | 401 | 404 | 413 | 415 | 502 | 504;
  readonly sentence: string;
}

const ANTHROPIC_TYPES: Readonly<Record<Refusal["status"], string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  404: "not_found_error",
  413: "request_too_large",
  415: "invalid_request_error",
  502: "api_error",
  504: "timeout_error",
};

const GEMINI_STATUSES: Readonly<Record<Refusal["status"], string>> = {
  400: "FAILED_PRECONDITION",
  401: "UNAUTHENTICATED",
  404: "NOT_FOUND",
  413: "INVALID_ARGUMENT",
  415: "INVALID_ARGUMENT",
  502: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

/** Answers as the API itself would, so that the CLI shows the sentence and does not try again where that is no use. */
export function refuse(response: ServerResponse, api: ModelApi, { status, sentence }: Refusal): void {
  // Too late to say anything: the client sees a stream that breaks off.
  if (response.headersSent) return void response.destroy();
  const body = JSON.stringify(shape(api, status, sentence));
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    // What is left of the request's body is not read.
    ...(status === 413 && { connection: "close" }),
  });
  response.end(body);
}

function shape(api: ModelApi, status: Refusal["status"], message: string): unknown {
  if (api === "anthropic") return { type: "error", error: { type: ANTHROPIC_TYPES[status], message } };
  if (api === "gemini") return { error: { code: status, message, status: GEMINI_STATUSES[status] } };
  const type = status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message, type, param: null, code: status === 401 ? "invalid_api_key" : null } };
}
