import { useNavigate } from "@tanstack/react-router";
import { ListFilter } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import type { TaskStatus } from "../../../../../src/core/task/task.ts";
import { useApi } from "../../../api/queries.ts";
import { useShortcut } from "../../../app/shortcuts.ts";
import { Key } from "../../../ui/button.tsx";
import { Glyph, glyphWord } from "../../../ui/glyph.tsx";
import { Popover } from "../../../ui/popover.tsx";
import { type TaskFilter, writeFilter } from "../filter.ts";
import { GROUP_ORDER } from "../list/rows.ts";
import { usePipelines } from "../use-pipelines.ts";

interface FilterMenuProps {
  readonly filter: TaskFilter;
  readonly rest: Readonly<Record<string, string | undefined>>;
}

/** The filters in a panel. Each change is in the address at once. */
export function FilterMenu({ filter, rest }: FilterMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  useShortcut({ keys: "f", label: "Filter the tasks", run: () => setOpen(true) });
  const change = (next: Partial<TaskFilter>): void => {
    void navigate({ to: "/tasks", search: { ...rest, ...writeFilter({ ...filter, ...next }) }, replace: true });
  };
  return (
    <Popover
      label="Filter the tasks"
      isOpen={isOpen}
      onOpenChange={setOpen}
      button={
        <>
          <ListFilter size={14} aria-hidden />
          Filter <Key>F</Key>
        </>
      }
    >
      <FilterFields filter={filter} onChange={change} />
    </Popover>
  );
}

interface FieldsProps {
  readonly filter: TaskFilter;
  readonly onChange: (next: Partial<TaskFilter>) => void;
}

function FilterFields({ filter, onChange }: FieldsProps) {
  const projects = useApi("GET /projects").data?.projects ?? [];
  const agents = useApi("GET /agents").data?.agents ?? [];
  const pipelines = usePipelines(filter.project).pipelines?.map(({ name }) => name) ?? [];
  return (
    <form className="filters" onSubmit={(event) => event.preventDefault()}>
      <TextField
        label="Text"
        hint="in the title, the id or the branch"
        value={filter.text}
        onChange={(text) => onChange({ text })}
      />
      <StatusField value={filter.status} onChange={(status) => onChange({ status })} />
      <Select
        label="Project"
        value={filter.project}
        options={projects.map(({ name }) => name)}
        onChange={(project) => onChange({ project })}
      />
      <Select
        label="Pipeline"
        value={filter.pipeline}
        options={pipelines}
        onChange={(pipeline) => onChange({ pipeline })}
      />
      <Select
        label="Agent"
        value={filter.agent}
        options={agents.map(({ name }) => name)}
        onChange={(agent) => onChange({ agent })}
      />
      <TextField label="Tag" value={filter.tag} onChange={(tag) => onChange({ tag })} />
    </form>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string | null;
  readonly options: readonly string[];
  readonly onChange: (value: string | null) => void;
}

function Select({ label, value, options, onChange }: SelectProps) {
  const id = useId();
  // The address may name something that does not exist any more.
  const all = value === null || options.includes(value) ? options : [value, ...options];
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select className="in" id={id} value={value ?? ""} onChange={(event) => onChange(event.target.value || null)}>
        <option value="">any</option>
        {all.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </div>
  );
}

const TYPING_MS = 250;

interface TextFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

/** Changes the address when the person pauses typing. */
function TextField({ label, hint, value, onChange }: TextFieldProps) {
  const id = useId();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (text: string): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onChange(text.trim() || null), TYPING_MS);
  };
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {hint !== undefined && <span className="hint">{hint}</span>}
      </label>
      <input
        className="in"
        id={id}
        dir="auto"
        maxLength={200}
        defaultValue={value ?? ""}
        onChange={(event) => change(event.target.value)}
      />
    </div>
  );
}

interface StatusFieldProps {
  readonly value: readonly TaskStatus[];
  readonly onChange: (value: readonly TaskStatus[]) => void;
}

function StatusField({ value, onChange }: StatusFieldProps) {
  return (
    <fieldset>
      <legend className="lab">Status</legend>
      <div className="checks">
        {GROUP_ORDER.map((status) => (
          <label key={status}>
            <input
              type="checkbox"
              checked={value.includes(status)}
              onChange={({ target }) =>
                onChange(target.checked ? [...value, status] : value.filter((each) => each !== status))
              }
            />
            <Glyph name={status} />
            {glyphWord(status)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
