import { chatOf, responseOf } from "./fake-openai-message.ts";
import { openFakeModel } from "./fake-model.ts";
import type { Dialect, FakeModel, FakeParams } from "./fake-model.ts";

/** The part of both APIs' requests that tests use. */
export interface OpenaiBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  /** Responses API. */
  readonly input?: unknown;
  /** Chat completions. */
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
}

/** A fake OpenAI API (Responses and chat completions). Use its URL with `/v1` as `OPENAI_BASE_URL`. */
export function openFakeOpenai(params: FakeParams<OpenaiBody>): Promise<FakeModel<OpenaiBody>> {
  return openFakeModel(params, DIALECT);
}

const DIALECT: Dialect<OpenaiBody> = {
  isModelRequest: ({ path }) => path.endsWith("/responses") || path.endsWith("/chat/completions"),
  offersTools: ({ tools = [] }) => tools.length > 0,
  wantsStream: ({ body }) => body.stream === true,
  createReply: (reply, { path, body }) =>
    (path.endsWith("/responses") ? responseOf : chatOf)(reply, body.model ?? "fake"),
  createError: ({ error, message }) => ({ error: { type: error, code: error, message, param: null } }),
  handleOther: ({ path }) => (path.endsWith("/models") ? { object: "list", data: [] } : null),
};
