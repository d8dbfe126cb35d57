import { type ReactNode, useId } from "react";
import type { RetryForm, RetryProblems } from "./read-retry.ts";

interface RetryFieldsProps {
  readonly form: RetryForm;
  readonly problems: RetryProblems;
  readonly states: readonly string[];
  readonly agents: readonly string[];
  readonly onChange: (change: Partial<RetryForm>) => void;
}

export function RetryFields({ form, problems, states, agents, onChange }: RetryFieldsProps) {
  return (
    <>
      <div className="pair">
        <Select
          label="From"
          none="where it stopped"
          options={states}
          value={form.from}
          onChange={(from) => onChange({ from })}
        />
        <Select
          label="Agent"
          none="the same"
          options={agents}
          value={form.agent}
          onChange={(agent) => onChange({ agent })}
        />
      </div>
      <div className="pair">
        <Input label="Model" value={form.model} onChange={(model) => onChange({ model })} />
        <Input
          label="Time limit of a run, minutes"
          value={form.minutes}
          problem={problems.minutes}
          isNumber
          onChange={(minutes) => onChange({ minutes })}
        />
      </div>
      <div className="pair">
        <Input
          label="Turns of a run, at most"
          value={form.turns}
          problem={problems.turns}
          isNumber
          onChange={(turns) => onChange({ turns })}
        />
        <Input
          label="Budget of the task, $"
          value={form.budget}
          problem={problems.budget}
          isNumber
          onChange={(budget) => onChange({ budget })}
        />
      </div>
    </>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Field({
  id,
  label,
  problem,
  children,
}: {
  id: string;
  label: string;
  problem?: string | undefined;
  children: ReactNode;
}) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children}
      {problem !== undefined && (
        <span className="err" id={`${id}-problem`}>
          {problem}
        </span>
      )}
    </div>
  );
}

function Select({ label, none, options, value, onChange }: FieldProps & { none: string; options: readonly string[] }) {
  const id = useId();
  return (
    <Field id={id} label={label}>
      <select className="in" id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{none}</option>
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </Field>
  );
}

interface InputProps extends FieldProps {
  readonly problem?: string | undefined;
  readonly isNumber?: boolean;
}

function Input({ label, value, problem, isNumber = false, onChange }: InputProps) {
  const id = useId();
  return (
    <Field id={id} label={label} problem={problem}>
      <input
        className="in"
        id={id}
        value={value}
        dir="auto"
        placeholder="as before"
        inputMode={isNumber ? "decimal" : "text"}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
