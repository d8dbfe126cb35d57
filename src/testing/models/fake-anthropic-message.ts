import { newId, pieces, USAGE } from "./fake-turn.ts";
import type { ApiUsage, Reply, ToolUse } from "./fake-turn.ts";

type Block =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | ({ readonly type: "tool_use"; readonly id: string } & ToolUse);

export interface Message {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly model: string;
  readonly content: readonly Block[];
  readonly stop_reason: string;
  readonly stop_sequence: null;
  readonly usage: ApiUsage;
}

export function messageOf(reply: Reply, model: string): Message {
  const content = blocksOf(reply);
  const stopReason = content.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
  return {
    id: newId("msg"),
    type: "message",
    role: "assistant",
    model: reply.model ?? model,
    content,
    stop_reason: reply.stopReason ?? stopReason,
    stop_sequence: null,
    usage: { ...USAGE, ...reply.usage },
  };
}

function blocksOf({ thinking, text, tools = [] }: Reply): readonly Block[] {
  return [
    ...(thinking === undefined ? [] : [{ type: "thinking", thinking, signature: "c2lnbmVk" } as const]),
    ...(text === undefined ? [] : [{ type: "text", text } as const]),
    ...tools.map((tool) => ({ type: "tool_use", id: newId("toolu"), ...tool }) as const),
  ];
}

export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Streams the message: a block's start first, then its content in pieces; the full usage at the end. */
export function* streamOf(message: Message): Generator<StreamEvent> {
  const begun = { ...message.usage, output_tokens: 1 };
  yield { type: "message_start", message: { ...message, content: [], stop_reason: null, usage: begun } };
  for (const [index, block] of message.content.entries()) {
    yield { type: "content_block_start", index, content_block: emptied(block) };
    for (const delta of deltasOf(block)) yield { type: "content_block_delta", index, delta };
    yield { type: "content_block_stop", index };
  }
  const delta = { stop_reason: message.stop_reason, stop_sequence: null };
  yield { type: "message_delta", delta, usage: message.usage };
  yield { type: "message_stop" };
}

function emptied(block: Block): object {
  switch (block.type) {
    case "thinking":
      return { ...block, thinking: "", signature: "" };
    case "text":
      return { ...block, text: "" };
    case "tool_use":
      return { ...block, input: {} };
  }
}

function deltasOf(block: Block): readonly object[] {
  switch (block.type) {
    case "thinking":
      return [
        ...pieces(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: block.signature },
      ];
    case "text":
      return pieces(block.text).map((text) => ({ type: "text_delta", text }));
    case "tool_use":
      return pieces(JSON.stringify(block.input)).map((json) => ({ type: "input_json_delta", partial_json: json }));
  }
}
