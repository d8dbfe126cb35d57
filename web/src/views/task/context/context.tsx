import { Link } from "@tanstack/react-router";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { Markdown } from "../../../ui/markdown.tsx";
import { Empty } from "../../../ui/state.tsx";
import { Time } from "../../../ui/time.tsx";
import { Voice } from "../../../ui/voice.tsx";
import { Prompts } from "./prompts.tsx";
import { capitalize } from "../../../ui/format.ts";

type Entry = TaskJson["context"][number];

/** What later runs are told about earlier ones, and the prompt that each run got. */
export function ContextTab({ task }: { task: TaskJson }) {
  return (
    <div className="tab-body">
      <section aria-labelledby="context-known">
        <h2 className="h3" id="context-known">
          What later runs know
        </h2>
        {task.context.length === 0 ? (
          <Empty title="Nothing yet">Summaries, feedback and answers appear here. Each later run gets them.</Empty>
        ) : (
          <ol className="context">
            {task.context.map((entry, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- entries have no id and are only added
              <li key={index}>
                <ContextEntry task={task} entry={entry} />
              </li>
            ))}
          </ol>
        )}
      </section>
      <Prompts task={task} />
    </div>
  );
}

function ContextEntry({ task, entry }: { task: TaskJson; entry: Entry }) {
  const run = task.runs.find(({ id }) => id === entry.run);
  const kind = entry.kind.replaceAll("_", " ");
  const by = {
    agent: run?.agent ?? "The agent",
    reviewer: run?.agent ?? "The reviewer",
    person: "A person",
    engine: "Nightshift",
  };
  const source = by[entry.source];
  return (
    <>
      <p className="flex wrap">
        <b className="strong">{capitalize(kind)}</b>
        <span className="muted">
          {run !== undefined && (
            <>
              from{" "}
              <Link
                className="link"
                to="/tasks/$id/$tab"
                params={{ id: task.id, tab: "transcript" }}
                search={{ run: run.id }}
              >
                {run.role ?? run.step}
              </Link>
              ,{" "}
            </>
          )}
          <Time at={entry.at} />
        </span>
      </p>
      {entry.source === "engine" ? (
        <p className="words" dir="auto">
          {entry.summary}
        </p>
      ) : (
        <Voice by={`${source} wrote`}>
          <Markdown text={entry.summary} />
        </Voice>
      )}
    </>
  );
}
