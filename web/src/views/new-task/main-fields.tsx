import { CircleAlert } from "lucide-react";
import { useId, useState } from "react";
import type { PipelineJson } from "../../../../src/http/contract/pipeline.ts";
import { useApi } from "../../api/queries.ts";
import { Markdown } from "../../ui/markdown.tsx";
import { type FormFields, SelectField, TextField } from "./field.tsx";
import { REVIEW_PIPELINE } from "./form.ts";

/** What should be done, where, and how. */
export function MainFields({ fields, pipelines }: { fields: FormFields; pipelines: readonly PipelineJson[] }) {
  const projects = useApi("GET /projects").data?.projects ?? [];
  return (
    <>
      <Description fields={fields} />
      {fields.form.pipeline === REVIEW_PIPELINE && (
        <TextField
          fields={fields}
          name="url"
          label="Change request to review"
          placeholder="https://github.com/acme/shop/pull/12"
        />
      )}
      <div className="pair">
        <SelectField
          fields={fields}
          name="project"
          label="Project"
          choices={projects.map(({ name }) => ({ value: name, label: name }))}
        />
        <TextField fields={fields} name="title" label="Title" isOptional placeholder="Taken from the first line" />
      </div>
      <PipelineChoice fields={fields} pipelines={pipelines} />
    </>
  );
}

function Description({ fields }: { fields: FormFields }) {
  const [isPreview, setPreview] = useState(false);
  const id = useId();
  const problem = fields.problemOf("description");
  const { description } = fields.form;
  return (
    <div className="field">
      <label htmlFor={id}>What should be done?</label>
      <div className={problem === undefined ? "md" : "md invalid"}>
        <header>
          <span className="seg" role="group" aria-label="Editor">
            <button type="button" aria-pressed={!isPreview} onClick={() => setPreview(false)}>
              Write
            </button>
            <button type="button" aria-pressed={isPreview} onClick={() => setPreview(true)}>
              Preview
            </button>
          </span>
          <span className="hint end hide-sm">Markdown</span>
        </header>
        {isPreview && (
          <div className="md-preview">
            {description.trim() === "" ? <p className="muted">Nothing to show yet</p> : <Markdown text={description} />}
          </div>
        )}
        <textarea
          className="in"
          id={id}
          rows={8}
          dir="auto"
          hidden={isPreview}
          value={description}
          aria-invalid={problem === undefined ? undefined : true}
          aria-describedby={`${id}-hint`}
          onChange={(event) => fields.set({ description: event.target.value })}
          onBlur={() => fields.leave("description")}
        />
      </div>
      {problem === undefined ? (
        <span className="hint" id={`${id}-hint`}>
          The agent gets this as it is. Say how it can tell that it is done.
        </span>
      ) : (
        <span className="err" id={`${id}-hint`}>
          <CircleAlert size={13} aria-hidden />
          {problem}
        </span>
      )}
    </div>
  );
}

const SENTENCES: Readonly<Record<string, string>> = {
  staged: "Anything once, with exactly the rights that you approve",
  feature: "You approve a plan, then code, checks, review",
  bug: "The cause first, then you choose how to fix it",
  chore: "Small and clear: straight to code",
  improve: "Finds one small improvement by itself, as at night",
  review: "Reviews a change request that someone else wrote",
};

/** The one that needs the least explanation first. */
const ORDER = ["staged", "feature", "bug", "chore", "improve", "review"];

function PipelineChoice({ fields, pipelines }: { fields: FormFields; pipelines: readonly PipelineJson[] }) {
  const id = useId();
  const problem = fields.problemOf("pipeline");
  const own = pipelines.filter(({ name }) => !ORDER.includes(name));
  const builtIn = pipelines
    .filter(({ name }) => ORDER.includes(name))
    .toSorted((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name));
  return (
    <fieldset aria-describedby={problem === undefined ? undefined : `${id}-err`}>
      <legend className="lab pipe-legend">Pipeline</legend>
      {[...own, ...builtIn].map(({ name, states, project }) => (
        <label className="choice" key={name}>
          <input
            type="radio"
            name={id}
            value={name}
            checked={fields.form.pipeline === name}
            onChange={() => fields.set({ pipeline: name, until: "" })}
          />
          <span>
            <span className="strong" dir="auto">
              {name}
            </span>{" "}
            <span className="muted" dir="auto">
              {project === null ? (SENTENCES[name] ?? describeStates(states)) : describeStates(states)}
            </span>
          </span>
        </label>
      ))}
      {problem !== undefined && (
        <span className="err" id={`${id}-err`}>
          <CircleAlert size={13} aria-hidden />
          <span dir="auto">{problem}</span>
        </span>
      )}
    </fieldset>
  );
}

/** For pipelines of the project, of which only the file knows what they are for. */
function describeStates(states: PipelineJson["states"]): string {
  return states.flatMap(({ kind, name }) => (kind === "end" ? [] : [name])).join(", ");
}
