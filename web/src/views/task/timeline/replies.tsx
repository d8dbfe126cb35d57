import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { Markdown } from "../../../ui/markdown.tsx";
import { Voice } from "../../../ui/voice.tsx";

type Exchange = TaskJson["conversation"][number];

/** What was asked and answered, or proposed and chosen, in the exchange that ended at this time. */
export function Replies({ task: { conversation }, at }: { task: TaskJson; at: string }) {
  // The event and the exchange of a decision are written with the same time, or nearly.
  const distance = (exchange: Exchange): number => Math.abs(Date.parse(exchange.at) - Date.parse(at));
  const exchange = conversation
    .filter(({ reply }) => reply !== null)
    .toSorted((a, b) => distance(a) - distance(b))
    .at(0);
  if (exchange === undefined) return null;
  return exchange.kind === "choice" ? <Choice exchange={exchange} /> : <Answers exchange={exchange} />;
}

function Choice({ exchange: { asked, reply } }: { exchange: Exchange }) {
  const option = asked.find((each) => "title" in each && each.id === reply?.["option"]);
  const title = option !== undefined && "title" in option ? option.title : (reply?.["option"] ?? "");
  const note = reply?.["note"] ?? "";
  return (
    <>
      {" "}
      <b dir="auto">{title}</b>
      {reply?.["then"] === "implement" && ", to implement it without a plan"}
      {note !== "" && (
        <Voice by="Note">
          <Markdown text={note} />
        </Voice>
      )}
    </>
  );
}

function Answers({ exchange: { asked, reply, assumed } }: { exchange: Exchange }) {
  return (
    <dl className="qa">
      {Object.entries(reply ?? {}).map(([id, answer]) => {
        const question = asked.find((each) => "question" in each && each.id === id);
        return (
          <div key={id}>
            <dt dir="auto">{question !== undefined && "question" in question ? question.question : id}</dt>
            <dd dir="auto">
              {answer}
              {assumed.includes(id) && <span className="faint">, the default</span>}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
