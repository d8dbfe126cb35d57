import { client, type ClientApp } from "@agentclientprotocol/sdk";
import type { TranscriptEvent } from "../../../core/task/transcript.ts";
import { fieldsOf, textOf } from "./fields.ts";
import { chooseOption, decideCall } from "./permissions.ts";
import type { AcpRules } from "./rules.ts";
import { createUpdateReader } from "./updates.ts";
import { costOf, usageOf } from "./usage.ts";

/** Our side of the conversation: hears what the agent tells, and answers what it asks. */
export interface Listener {
  readonly app: ClientApp;
  /** From now on what it tells is of this run: a session that is loaded is told again from its beginning. */
  goLive(): void;
  /** From now on it gets no permission for anything. */
  refuse(): void;
  /** Lines of the agent that are no part of the conversation. */
  overhear(line: string): void;
  /** Prints what was held back. */
  flush(): void;
  /** Prints what the answer to a prompt says that it took. */
  count(answer: unknown): void;
}

export function createListener(rules: AcpRules, print: (events: readonly TranscriptEvent[]) => void): Listener {
  const updates = createUpdateReader(rules.workspace);
  let isLive = false;
  let isRefusing = false;
  let before = rules.session.kind === "new" ? 0 : null;
  let now: number | null = null;

  const decide = (toolCall: unknown, options: unknown) => {
    if (isRefusing) return { outcome: "cancelled" };
    print(updates.readAsked(toolCall));
    const call = updates.known(toolCall);
    const no = decideCall(call, rules);
    const title = textOf(call["title"]) ?? "a tool call";
    if (no !== null) print([{ type: "error", message: `Not allowed: ${title}. ${no}`, failure: null }]);
    const optionId = chooseOption(options, no === null);
    return optionId === null ? { outcome: "cancelled" } : { outcome: "selected", optionId };
  };

  return {
    // Read by hand: the SDK's own reader throws a whole message away for one field that it does not know.
    app: client({ name: "nightshift" })
      .onNotification("session/update", fieldsOf, ({ params: { update } }) => {
        const cost = costOf(update);
        if (!isLive) before = cost ?? before;
        else {
          now = cost ?? now;
          print(updates.read(update));
        }
      })
      .onRequest("session/request_permission", fieldsOf, ({ params: { toolCall, options } }) => ({
        outcome: decide(toolCall, options),
      })),
    goLive: () => {
      isLive = true;
    },
    refuse: () => {
      isRefusing = true;
    },
    overhear: (text) => print([...updates.flush(), { type: "text", text }]),
    flush: () => print(updates.flush()),
    count: (answer) => print(usageOf(answer, { before, now })),
  };
}
