import { terminalLine } from "../../../core/text/terminal-text.ts";
import type { TaskJson } from "../../../http/client/client.ts";
import { copyableWord } from "../../copyable.ts";
import { indentText } from "../terminal/fit-text.ts";
import { formatMessage } from "../terminal/message.ts";
import { shortId } from "../terminal/short-id.ts";
import type { Screen } from "../terminal/style.ts";

const MAX_LINE = 200;

type Exchange = TaskJson["conversation"][number];

/** What agents asked and what was answered, with the command that changes an assumed answer. Empty if nothing was answered. */
export function describeConversation(screen: Screen, task: TaskJson): string {
  return task.conversation
    .flatMap((exchange) =>
      exchange.kind === "choice"
        ? describeChosen(exchange).map((line) => indentText(screen, line, "  ", "    "))
        : Object.entries(exchange.reply ?? {}).flatMap(([key, value]) => [
            indentText(screen, describeReply(exchange, key, value), "  ", "    "),
            ...(exchange.assumed.includes(key) ? [describeChange(screen, task, exchange, key)] : []),
          ]),
    )
    .map((line) => `${line}\n`)
    .join("");
}

/** Which of the proposed options a person chose. Empty while the choice is open. */
function describeChosen({ asked, reply, by }: Exchange): readonly string[] {
  const chosen = reply?.["option"];
  if (chosen === undefined) return [];
  const option = asked.find((each) => "title" in each && each.id === chosen);
  const title = option !== undefined && "title" in option ? ` (${terminalLine(option.title, MAX_LINE)})` : "";
  const then = reply?.["then"] === "implement" ? ", implemented without a plan" : "";
  const note = reply?.["note"] ?? "";
  return [
    `chosen: ${terminalLine(chosen, MAX_LINE)}${title}${then}, by ${by ?? "?"}`,
    ...(note === "" ? [] : [`  note: ${formatMessage(note)}`]),
  ];
}

function describeReply(exchange: Exchange, key: string, value: string): string {
  const asked = exchange.asked.find((each) => "question" in each && each.id === key);
  const question = asked !== undefined && "question" in asked ? `${formatMessage(asked.question)} ` : "";
  const by = exchange.assumed.includes(key) ? "assumed at the deadline" : `by ${exchange.by ?? "?"}`;
  return `${question}${terminalLine(key, MAX_LINE)}=${terminalLine(value, MAX_LINE)} (${by})`;
}

/** Suggests another one of the possible answers. */
function describeChange(screen: Screen, task: TaskJson, { asked, reply }: Exchange, key: string): string {
  const question = asked.find((each) => "question" in each && each.id === key);
  const options = question !== undefined && "question" in question ? question.options : [];
  const other = options.find((option) => option !== reply?.[key]);
  const answer = other === undefined ? '"<answer>"' : copyableWord(other);
  return `  → to change it: nightshift answer ${shortId(screen, task)} ${copyableWord(key)}=${answer}`;
}
