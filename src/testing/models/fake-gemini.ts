import { openFakeModel } from "./fake-model.ts";
import type { Dialect, FakeModel, FakeParams, FakeReply } from "./fake-model.ts";
import { newId, pieces, sse, USAGE } from "./fake-turn.ts";
import type { ApiUsage, Reply } from "./fake-turn.ts";

/** The part of a request that tests use. */
export interface GeminiBody {
  readonly contents?: readonly { readonly role?: string; readonly parts?: readonly unknown[] }[];
  readonly tools?: readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[];
  readonly systemInstruction?: unknown;
}

/** A fake Gemini API. Use its URL as `GOOGLE_GEMINI_BASE_URL`. */
export function openFakeGemini(params: FakeParams<GeminiBody>): Promise<FakeModel<GeminiBody>> {
  return openFakeModel(params, DIALECT);
}

const DIALECT: Dialect<GeminiBody> = {
  isModelRequest: ({ path }) => /:(stream)?generateContent$/i.test(path),
  offersTools: ({ tools = [] }) => tools.some(({ functionDeclarations = [] }) => functionDeclarations.length > 0),
  wantsStream: ({ path }) => path.endsWith(":streamGenerateContent"),
  createReply: (reply, { path }) => contentOf(reply, /models\/([^:]+):/.exec(path)?.[1] ?? "fake"),
  createError: ({ status, error, message, details = [] }) => ({
    error: { code: status, status: error, message, details },
  }),
  handleOther: ({ path }) => (path.endsWith(":countTokens") ? { totalTokens: 1000 } : null),
};

function contentOf(reply: Reply, requestedModel: string): FakeReply {
  const { thinking, text, tools = [] } = reply;
  const usage: ApiUsage = { ...USAGE, ...reply.usage };
  const input = usage.input_tokens + usage.cache_read_input_tokens;
  const usageMetadata = {
    promptTokenCount: input,
    cachedContentTokenCount: usage.cache_read_input_tokens,
    candidatesTokenCount: usage.output_tokens,
    totalTokenCount: input + usage.output_tokens,
  };
  const base = { modelVersion: reply.model ?? requestedModel, responseId: newId("resp") };
  const parts = [
    ...pieces(thinking ?? "").map((piece) => ({ text: piece, thought: true })),
    ...pieces(text ?? "").map((piece) => ({ text: piece })),
    ...tools.map(({ name, input: args }) => ({ functionCall: { name, args } })),
  ];
  const answer = (some: readonly object[], end: object) => ({
    ...base,
    candidates: [{ index: 0, content: { role: "model", parts: some }, ...end }],
  });
  const end = { finishReason: reply.stopReason ?? "STOP" };
  return {
    whole: { ...answer(parts, end), usageMetadata },
    events: [...parts.map((part) => sse(answer([part], {}))), sse({ ...answer([{ text: "" }], end), usageMetadata })],
  };
}
