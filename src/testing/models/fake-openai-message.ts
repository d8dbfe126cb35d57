import type { FakeReply } from "./fake-model.ts";
import { newId, pieces, sse, USAGE } from "./fake-turn.ts";
import type { ApiUsage, Reply, ToolUse } from "./fake-turn.ts";

/** OpenAI includes cached tokens in the input tokens. */
function countsOf(reply: Reply): { readonly input: number; readonly output: number; readonly cached: number } {
  const usage: ApiUsage = { ...USAGE, ...reply.usage };
  const cached = usage.cache_read_input_tokens;
  return { input: usage.input_tokens + cached, output: usage.output_tokens, cached };
}

/** A response of the Responses API. */
export function responseOf(reply: Reply, requestedModel: string): FakeReply {
  const { input, output, cached } = countsOf(reply);
  const items = itemsOf(reply);
  const base = { id: newId("resp"), object: "response", model: reply.model ?? requestedModel };
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
  const whole = { ...base, status: "completed", output: items, usage };
  const events = [
    { type: "response.created", response: { ...base, status: "in_progress", output: [] } },
    ...items.flatMap(itemEvents),
    { type: "response.completed", response: whole },
  ];
  return { whole, events: events.map((event) => sse(event, event.type)) };
}

interface Item {
  readonly type: string;
  readonly id: string;
  readonly [field: string]: unknown;
}

function itemsOf({ thinking, text, tools = [] }: Reply): readonly Item[] {
  return [
    ...(thinking === undefined
      ? []
      : [{ type: "reasoning", id: newId("rs"), summary: [{ type: "summary_text", text: thinking }] }]),
    ...(text === undefined
      ? []
      : [
          {
            type: "message",
            id: newId("msg"),
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text, annotations: [] }],
          },
        ]),
    ...tools.map(callItem),
  ];
}

function callItem({ name, namespace, input }: ToolUse): Item {
  return {
    type: "function_call",
    id: newId("fc"),
    call_id: newId("call"),
    name,
    ...(namespace !== undefined && { namespace }),
    arguments: JSON.stringify(input),
    status: "completed",
  };
}

interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

function itemEvents(item: Item, index: number): readonly StreamEvent[] {
  const place = { output_index: index, item_id: item.id };
  const begun = { ...item, status: "in_progress", ...(item.type === "message" && { content: [] }) };
  return [
    { type: "response.output_item.added", output_index: index, item: begun },
    ...(item.type === "message"
      ? pieces(wordsOf(item)).map((delta) => ({
          type: "response.output_text.delta",
          ...place,
          content_index: 0,
          delta,
        }))
      : []),
    { type: "response.output_item.done", output_index: index, item },
  ];
}

function wordsOf({ content }: Item): string {
  const [part] = content as readonly { readonly text: string }[]; // messages are created above with one part
  return part?.text ?? "";
}

/** A response of the chat completions API. */
export function chatOf(reply: Reply, requestedModel: string): FakeReply {
  const { text, thinking, tools = [] } = reply;
  const { input, output, cached } = countsOf(reply);
  const finish = reply.stopReason ?? (tools.length > 0 ? "tool_calls" : "stop");
  const base = { id: newId("chatcmpl"), created: 1_700_000_000, model: reply.model ?? requestedModel };
  const usage = {
    prompt_tokens: input,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens: output,
    total_tokens: input + output,
  };
  const calls = tools.map(({ name, input: value }) => ({
    id: newId("call"),
    type: "function",
    function: { name, arguments: JSON.stringify(value) },
  }));
  const message = { role: "assistant", content: text ?? null, ...(calls.length > 0 && { tool_calls: calls }) };
  const deltas: readonly object[] = [
    { role: "assistant", content: "" },
    ...pieces(thinking ?? "").map((piece) => ({ reasoning_content: piece })),
    ...pieces(text ?? "").map((content) => ({ content })),
    ...calls.flatMap((call, index) => [
      { tool_calls: [{ ...call, index, function: { name: call.function.name, arguments: "" } }] },
      ...pieces(call.function.arguments).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ];
  const chunk = (choices: readonly object[], more: object = {}) =>
    sse({ ...base, object: "chat.completion.chunk", choices, ...more });
  return {
    whole: { ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason: finish }], usage },
    events: [
      ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
      chunk([{ index: 0, delta: {}, finish_reason: finish }]),
      chunk([], { usage }),
      sse("[DONE]"),
    ],
  };
}
