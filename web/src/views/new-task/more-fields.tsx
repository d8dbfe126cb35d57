import { type Ref, useId } from "react";
import { COMPLEXITIES, PRIORITIES, SIZES } from "../../../../src/core/task/task.ts";
import type { PipelineJson } from "../../../../src/http/contract/pipeline.ts";
import { useApi } from "../../api/queries.ts";
import { CheckField, type Choice, type FormFields, SelectField, TextField } from "./field.tsx";

interface MoreFieldsProps {
  readonly fields: FormFields;
  readonly pipeline: PipelineJson | null;
  readonly details: Ref<HTMLDetailsElement>;
}

/** Everything that has a good default. */
export function MoreFields({ fields, pipeline, details }: MoreFieldsProps) {
  return (
    <details ref={details}>
      <summary className="lab">More</summary>
      <div className="fields">
        <WhoAndHowMuch fields={fields} />
        <OtherTasks fields={fields} pipeline={pipeline} />
        <Sorting fields={fields} />
        <Switches fields={fields} />
      </div>
    </details>
  );
}

function WhoAndHowMuch({ fields }: { fields: FormFields }) {
  const agents = useApi("GET /agents").data?.agents ?? [];
  const choices: readonly Choice[] = [
    { value: "", label: "As the project and each role say" },
    ...agents.map(({ name, usable, parked_for: parked }) => ({
      value: name,
      label: usable ? (parked === null ? name : `${name} (waits for its ${parked})`) : `${name} (cannot be used)`,
      isDisabled: !usable,
    })),
  ];
  return (
    <>
      <div className="pair">
        <SelectField fields={fields} name="agent" label="Agent" choices={choices} />
        <TextField fields={fields} name="model" label="Model" placeholder="As each role says" />
      </div>
      <div className="pair">
        <TextField
          fields={fields}
          name="budget_usd"
          label="Budget of the task, in USD"
          inputMode="decimal"
          placeholder="As configured"
        />
        <TextField
          fields={fields}
          name="max_turns"
          label="Turns of a run"
          inputMode="numeric"
          placeholder="As each role says"
        />
      </div>
      <div className="pair">
        <TextField fields={fields} name="timeout_ms" label="Time limit of a run" placeholder="10m" />
        <TextField fields={fields} name="planning_timeout_ms" label="Time limit of planning" placeholder="5m" />
      </div>
      <TextField
        fields={fields}
        name="best_of"
        label="Best of several agents"
        placeholder="claude-code, codex"
        hint="Each implements the task, and the best variant goes on. With a model: codex:gpt-5."
      />
    </>
  );
}

function OtherTasks({ fields, pipeline }: Omit<MoreFieldsProps, "details">) {
  const list = useId();
  const open =
    useApi("GET /tasks", { query: { status: "running,waiting,queued,paused", limit: 50 } }).data?.tasks ?? [];
  const states = (pipeline?.states ?? []).filter(({ kind }) => kind !== "wait" && kind !== "end");
  return (
    <>
      <datalist id={list}>
        {open.map(({ id, short_id: short, title }) => (
          <option key={id} value={short.replace(/^task_/, "")}>
            {title}
          </option>
        ))}
      </datalist>
      <div className="pair">
        <TextField
          fields={fields}
          name="after"
          label="Start after"
          list={list}
          hint="Ids of tasks that must succeed first."
        />
        <TextField fields={fields} name="related" label="Related task" list={list} hint="The agents know it." />
      </div>
      <div className="pair">
        <SelectField
          fields={fields}
          name="until"
          label="Stop after"
          choices={[
            { value: "", label: "The end of the pipeline" },
            ...states.map(({ name }) => ({ value: name, label: name })),
          ]}
        />
        <TextField
          fields={fields}
          name="issue"
          label="Issue number"
          inputMode="numeric"
          hint="Its title and text become part of the task."
        />
      </div>
    </>
  );
}

const same = (values: readonly string[]): readonly Choice[] => values.map((value) => ({ value, label: value }));

function Sorting({ fields }: { fields: FormFields }) {
  return (
    <>
      <div className="pair">
        <SelectField fields={fields} name="priority" label="Priority" choices={same(PRIORITIES)} />
        <TextField fields={fields} name="tags" label="Tags" placeholder="cart, shipping" />
      </div>
      <div className="pair">
        <SelectField
          fields={fields}
          name="size"
          label="Size"
          choices={[{ value: "", label: "not set" }, ...same(SIZES)]}
        />
        <SelectField
          fields={fields}
          name="complexity"
          label="Complexity"
          choices={[{ value: "", label: "not set" }, ...same(COMPLEXITIES)]}
        />
      </div>
    </>
  );
}

function Switches({ fields }: { fields: FormFields }) {
  const isStaged = fields.form.pipeline === "staged";
  return (
    <>
      {isStaged && (
        <TextField
          fields={fields}
          name="allow_dirs"
          label="Directories that it may write"
          rows={2}
          placeholder="/home/me/reports"
          hint="One absolute path in each line, in addition to those of its plan."
        />
      )}
      <CheckField
        fields={fields}
        name="design"
        label="Design first"
        hint="A design that you approve, before the plan. Always on for complexity high."
      />
      <CheckField
        fields={fields}
        name="auto_approve"
        label="Approve the plan by itself"
        hint="Nobody sees the plan before it is carried out. Needs the right to approve."
      />
      <CheckField
        fields={fields}
        name="in_place"
        label="Work in place"
        hint="Directly in the project's directory instead of a workspace of its own."
      />
      <CheckField
        fields={fields}
        name="allow_overlap"
        label="Allow overlap"
        hint="Work at the same time as other tasks whose plans name the same files."
      />
      <CheckField
        fields={fields}
        name="without_checks"
        label="Start without accepted checks"
        hint="Checks of the project that nobody accepted do not run. Needs the right to approve."
      />
    </>
  );
}
