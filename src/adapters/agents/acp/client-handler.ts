import { client, type ClientApp } from "@agentclientprotocol/sdk";
import type { TranscriptEvent } from "../../../core/task/documents/transcript.ts";
import { fieldsOf, textOf } from "./fields.ts";
import { chooseOption, checkCall } from "./permissions.ts";
import type { AcpRules } from "./rules.ts";
import { createUpdateReader } from "./updates.ts";
import { readSessionCost, readUsage } from "./usage.ts";

/** Handles the notifications and requests of the agent. */
export interface ClientHandler {
  readonly app: ClientApp;
  /** Starts to record updates. Earlier ones are ignored, because loading a session replays it from the beginning. */
  startRecording(): void;
  /** Denies all further permission requests. */
  denyPermissions(): void;
  /** Prints a line of the agent that is not a protocol message. */
  printOther(line: string): void;
  /** Prints buffered text. */
  flush(): void;
  /** Prints the usage in the response to a prompt. */
  printUsage(response: unknown): void;
}

export function createClientHandler(
  rules: AcpRules,
  print: (events: readonly TranscriptEvent[]) => void,
): ClientHandler {
  const updates = createUpdateReader(rules.workspace);
  let isRecording = false;
  let isDenying = false;
  let before = rules.session.kind === "new" ? 0 : null;
  let now: number | null = null;

  const decide = (toolCall: unknown, options: unknown) => {
    if (isDenying) return { outcome: "cancelled" };
    print(updates.readPermissionRequest(toolCall));
    const call = updates.mergeCall(toolCall);
    const denial = checkCall(call, rules);
    const title = textOf(call["title"]) ?? "a tool call";
    if (denial !== null) print([{ type: "error", message: `Not allowed: ${title}. ${denial}`, failure: null }]);
    const optionId = chooseOption(options, denial === null);
    return optionId === null ? { outcome: "cancelled" } : { outcome: "selected", optionId };
  };

  return {
    // Not parsed with the SDK's schemas, which reject a whole message because of one unknown field.
    app: client({ name: "nightshift" })
      .onNotification("session/update", fieldsOf, ({ params: { update } }) => {
        const cost = readSessionCost(update);
        if (!isRecording) before = cost ?? before;
        else {
          now = cost ?? now;
          print(updates.read(update));
        }
      })
      .onRequest("session/request_permission", fieldsOf, ({ params: { toolCall, options } }) => ({
        outcome: decide(toolCall, options),
      })),
    startRecording: () => {
      isRecording = true;
    },
    denyPermissions: () => {
      isDenying = true;
    },
    printOther: (text) => print([...updates.flush(), { type: "text", text }]),
    flush: () => print(updates.flush()),
    printUsage: (response) => print(readUsage(response, { before, now })),
  };
}
