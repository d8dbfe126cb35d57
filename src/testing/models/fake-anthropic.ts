import { messageOf, streamOf } from "./fake-anthropic-message.ts";
import { openFakeModel } from "./fake-model.ts";
import type { Dialect, FakeModel, FakeParams as ModelParams, ModelRequest as AnyRequest } from "./fake-model.ts";
import { sse } from "./fake-turn.ts";

export type { Turn } from "./fake-turn.ts";

export type FakeParams = ModelParams<MessagesBody>;

/** A fake Anthropic Messages API. Use its URL as `ANTHROPIC_BASE_URL`. */
export type FakeAnthropic = FakeModel<MessagesBody>;
type ModelRequest = AnyRequest<MessagesBody>;

interface MessagesBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly system?: unknown;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
}

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

export function openFakeAnthropic(params: FakeParams): Promise<FakeAnthropic> {
  return openFakeModel(params, DIALECT);
}

const DIALECT: Dialect<MessagesBody> = {
  isModelRequest: ({ path }) => path.endsWith("/v1/messages"),
  offersTools: ({ tools = [] }) => tools.length > 0,
  wantsStream: ({ body }) => body.stream === true,
  createReply(reply, { body }) {
    const whole = messageOf(reply, body.model ?? "fake");
    return { whole, events: [...streamOf(whole)].map((event) => sse(event, event.type)) };
  },
  createError: ({ error, message }) => ({ type: "error", error: { type: error, message } }),
  handleOther({ method, path, body }) {
    if (path.endsWith("/v1/messages/count_tokens")) return { input_tokens: countTokens(JSON.stringify(body)) };
    if (path.endsWith("/v1/models")) return { data: [], has_more: false };
    return method === "HEAD" ? {} : null;
  },
};

/** Tool results since the model's last message. */
export function toolResults({ body }: ModelRequest): readonly ToolResult[] {
  const content = body.messages?.findLast(({ role }) => role === "user")?.content;
  return blocks(content)
    .filter((block) => block["type"] === "tool_result")
    .map((block) => ({ text: textOf(block["content"]), isError: block["is_error"] === true }));
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return blocks(content)
    .map((block) => (typeof block["text"] === "string" ? block["text"] : ""))
    .join("\n");
}

function blocks(content: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(content) ? content.filter((block) => typeof block === "object" && block !== null) : [];
}

function countTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
