import { type Reply, useApi } from "../../api/queries.ts";
import { CodeText } from "../../ui/code-text.tsx";
import { Glyph } from "../../ui/glyph.tsx";
import { Section } from "../../ui/section.tsx";
import { Loaded } from "../../ui/state.tsx";

type Listed = Reply<"GET /pipelines">;

/** The pipelines that tasks can use, and every mistake in the files of projects. */
export function Pipelines() {
  const query = useApi("GET /pipelines");
  return (
    <Section
      title="Pipelines"
      {...(query.data !== undefined && { count: query.data.pipelines.length })}
      hint="Built in, and those of the projects"
    >
      <Loaded query={query} what="The pipelines">
        {({ pipelines, problems }) => (
          <>
            <p className="muted break">{describe(pipelines)}.</p>
            {problems.length > 0 && <Problems problems={problems} />}
            <p className="hint">
              A project's own pipelines are in <code>.nightshift/pipelines</code> of its checkout.
            </p>
          </>
        )}
      </Loaded>
    </Section>
  );
}

function describe(pipelines: Listed["pipelines"]): string {
  return pipelines.map(({ name, project }) => (project === null ? name : `${name} of ${project}`)).join(", ");
}

function Problems({ problems }: Pick<Listed, "problems">) {
  return (
    <ul className="problem-list" aria-label="Problems of pipeline files">
      {problems.map(({ project, file, line, message }, index) => (
        <li key={index}>
          <Glyph name="failed" label="Problem" />
          <div className="break">
            <span className="faint" dir="auto">
              {project}: <span className="mono">{file}</span>
              {line !== null && `, line ${line}`}
            </span>{" "}
            <CodeText text={message} />
          </div>
        </li>
      ))}
    </ul>
  );
}
