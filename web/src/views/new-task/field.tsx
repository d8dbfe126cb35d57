import { CircleAlert } from "lucide-react";
import { type ReactNode, useId } from "react";
import type { FieldName, TaskForm } from "./form.ts";

/** What every field needs of the form. */
export interface FormFields {
  readonly form: TaskForm;
  /** The problem that is shown at a field, or undefined. */
  problemOf(name: FieldName): string | undefined;
  set(change: Partial<TaskForm>): void;
  /** The person left the field, so its problem may be shown. */
  leave(name: FieldName): void;
}

/** Names of the fields whose values are text. */
export type TextName = { [N in FieldName]: TaskForm[N] extends string ? N : never }[FieldName];
export type CheckName = Exclude<FieldName, TextName>;

interface FieldProps {
  readonly fields: FormFields;
  readonly name: TextName;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly isOptional?: boolean;
}

/** The label, the hint and the problem around a control, tied to it for screen readers. */
function useFieldParts({ fields, name, label, hint, isOptional = false }: FieldProps) {
  const id = useId();
  const problem = fields.problemOf(name);
  const describedBy = problem !== undefined ? `${id}-err` : hint === undefined ? undefined : `${id}-hint`;
  const control = {
    id,
    className: "in",
    value: fields.form[name],
    "aria-invalid": problem === undefined ? undefined : true,
    "aria-describedby": describedBy,
    onBlur: () => fields.leave(name),
  } as const;
  const around = (input: ReactNode): ReactNode => (
    <div className="field">
      <label htmlFor={id}>
        {label} {isOptional && <span className="faint opt-word">optional</span>}
      </label>
      {input}
      {problem !== undefined && (
        <span className="err" id={`${id}-err`}>
          <CircleAlert size={13} aria-hidden />
          <span dir="auto">{problem}</span>
        </span>
      )}
      {problem === undefined && hint !== undefined && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
  return { control, around };
}

type TextFieldProps = FieldProps & {
  readonly placeholder?: string;
  readonly inputMode?: "decimal" | "numeric";
  readonly list?: string;
  readonly rows?: number;
};

export function TextField({ placeholder, inputMode, list, rows, ...props }: TextFieldProps) {
  const { control, around } = useFieldParts(props);
  const more = {
    placeholder,
    dir: "auto",
    onChange: (event: { readonly target: { readonly value: string } }) =>
      props.fields.set({ [props.name]: event.target.value }),
  };
  return around(
    rows === undefined ? (
      <input {...control} {...more} inputMode={inputMode} list={list} autoComplete="off" />
    ) : (
      <textarea {...control} {...more} rows={rows} />
    ),
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly isDisabled?: boolean;
}

export function SelectField({ choices, ...props }: FieldProps & { readonly choices: readonly Choice[] }) {
  const { control, around } = useFieldParts(props);
  const value = props.fields.form[props.name];
  // A draft may name something that does not exist any more.
  const isKnown = choices.some((choice) => choice.value === value);
  return around(
    <select {...control} onChange={(event) => props.fields.set({ [props.name]: event.target.value })}>
      {!isKnown && <option value={value}>{value === "" ? "Choose one" : `${value} (unknown)`}</option>}
      {choices.map(({ value: each, label, isDisabled = false }) => (
        <option key={each} value={each} disabled={isDisabled}>
          {label}
        </option>
      ))}
    </select>,
  );
}

interface CheckFieldProps {
  readonly fields: FormFields;
  readonly name: CheckName;
  readonly label: string;
  readonly hint: string;
}

export function CheckField({ fields, name, label, hint }: CheckFieldProps) {
  const id = useId();
  const problem = fields.problemOf(name);
  return (
    <div className="flex check-field">
      <input
        type="checkbox"
        id={id}
        checked={fields.form[name]}
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={`${id}-hint`}
        onChange={(event) => fields.set({ [name]: event.target.checked })}
        onBlur={() => fields.leave(name)}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        <span className={problem === undefined ? "hint" : "err"} id={`${id}-hint`}>
          {problem ?? hint}
        </span>
      </div>
    </div>
  );
}
