import type { ReactNode } from "react";
import { readDecision } from "../../../../../src/core/task/decision.ts";
import { shortHash } from "../../../../../src/core/text/short-hash.ts";
import { terminalText } from "../../../../../src/core/text/terminal-text.ts";
import type { EventJson, TaskJson } from "../../../../../src/http/client/client.ts";
import { Markdown } from "../../../ui/markdown.tsx";
import type { GlyphName } from "../../../ui/glyph.tsx";
import { Voice } from "../../../ui/voice.tsx";
import { Line } from "./line.tsx";
import { Replies } from "./replies.tsx";
import { capitalize } from "../../../ui/format.ts";

interface EventLineProps {
  readonly task: TaskJson;
  readonly event: EventJson;
}

/** Something that happened between runs. */
export function EventLine({ task, event }: EventLineProps) {
  switch (event.type) {
    case "task.submitted":
      return (
        <Line at={event.at}>
          <Actor event={event} /> submitted the task
        </Line>
      );
    case "task.decided":
      return <DecisionLine {...{ task, event }} />;
    case "task.ended":
      return <EndLine {...{ task, event }} />;
    case "task.paused":
    case "task.resumed":
      return <PauseLine event={event} />;
    default:
      return (
        <Line at={event.at} mark={event.type === "request.merged" ? "succeeded" : undefined}>
          <Sentence text={event.summary} />
          {event.level === "error" && <span className="c-red"> (error)</span>}
        </Line>
      );
  }
}

function Actor({ event: { actor } }: { event: EventJson }) {
  return <b dir="auto">{actor.kind === "system" ? "Nightshift" : actor.name}</b>;
}

/** A summary of the engine, which begins in lower case and may contain text of agents. */
function Sentence({ text }: { text: string }) {
  const safe = terminalText(text).trim();
  return (
    <span dir="auto" className="words">
      {capitalize(safe)}
    </span>
  );
}

const VIAS = { page: "page", cli: "command line", api: "API" } as const;

function DecisionLine({ task, event }: EventLineProps) {
  const { kind, summary, planHash, via } = readDecision({ ...event, data: event.data });
  const document = task.documents.find(({ hash }) => hash === planHash);
  const about =
    document === undefined ? null : (
      <>
        {" "}
        {document.kind} {<Hash hash={document.hash} />}
      </>
    );
  const [words, quote] = wordsOf(kind, summary, about);
  return (
    <Line at={event.at} aside={via === null ? null : VIAS[via]}>
      <Actor event={event} /> {words}
      {quote !== null && (
        <Voice by={`${event.actor.name} wrote`}>
          <Markdown text={quote} />
        </Voice>
      )}
      {(kind === "answered" || kind === "assumed" || kind === "chosen") && <Replies task={task} at={event.at} />}
    </Line>
  );
}

/** A sentence without its subject, and what the person wrote. */
function wordsOf(kind: string, summary: string, about: ReactNode): readonly [ReactNode, string | null] {
  switch (kind) {
    case "approved":
      return [<>approved{about ?? " it"}</>, null];
    case "revised":
      return [
        <>
          asked for changes{about === null ? "" : " to"}
          {about}
        </>,
        summary,
      ];
    case "rejected":
      return ["rejected it", summary.startsWith("rejected by ") ? null : summary];
    case "answered":
      return ["answered", null];
    case "assumed":
      return ["took the default answers at the deadline", null];
    case "chosen":
      return ["chose", null];
    case "merged":
      return ["merged it", null];
    case "cancelled":
      return ["cancelled the task", null];
    case "killed":
      return ["ended the task at once", null];
    case "retried":
      return ["retried the task", null];
    case "continued":
      return ["asked for more work", summary];
    case "run":
      return [<>asked for one more run: {summary.replace(/, requested by .*$/, "")}</>, null];
    default:
      return [
        <span dir="auto" key="summary">
          {terminalText(summary)}
        </span>,
        null,
      ];
  }
}

const ENDS: Readonly<Record<string, readonly [GlyphName, string]>> = {
  succeeded: ["succeeded", "Succeeded"],
  failed: ["failed", "Failed"],
  cancelled: ["cancelled", "Cancelled"],
};

function EndLine({ event }: EventLineProps) {
  const [mark, word] = ENDS[String(event.data["status"])] ?? [undefined, "Ended"];
  const reason = terminalText(event.summary.replace(/^[a-z]+: /, "")).trim();
  return (
    <Line at={event.at} mark={mark}>
      <b>{word}</b>
      {reason !== "" && (
        <>
          :{" "}
          <span dir="auto" className="words">
            {reason}
          </span>
        </>
      )}
    </Line>
  );
}

function PauseLine({ event }: { event: EventJson }) {
  const isPaused = event.type === "task.paused";
  if (event.actor.kind === "system")
    return (
      <Line at={event.at} mark={isPaused ? "paused" : undefined}>
        <Sentence text={event.summary} />
      </Line>
    );
  return (
    <Line at={event.at} mark={isPaused ? "paused" : undefined}>
      <Actor event={event} /> {isPaused ? "paused" : "resumed"} the task
    </Line>
  );
}

export function Hash({ hash }: { hash: string }) {
  return (
    <span className="hash" title={hash}>
      {shortHash(hash)}
    </span>
  );
}
