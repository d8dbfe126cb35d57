import { CircleAlert, Plus } from "lucide-react";
import { useState } from "react";
import { Button, type ButtonProps } from "../../src/ui/button.tsx";
import { ConfirmDialog } from "../../src/ui/dialog.tsx";
import { Section } from "../../src/ui/section.tsx";
import { showToast, Toasts } from "../../src/ui/toast.tsx";
import { Line } from "./status.tsx";

const KINDS: readonly (readonly [NonNullable<ButtonProps["kind"]>, string])[] = [
  ["primary", "Approve"],
  ["plain", "Ask for changes…"],
  ["quiet", "Skip"],
  ["danger", "Reject…"],
];

export function ActionSamples() {
  return (
    <>
      <Section title="Buttons" hint="Ready, not possible, busy, small">
        {KINDS.map(([kind, label]) => (
          <Line key={kind}>
            <Button kind={kind} shortcut="A">
              {label}
            </Button>
            <Button kind={kind} refusal='Approving a plan needs the right "approve"; bob may submit.'>
              {label}
            </Button>
            <Button kind={kind} isBusy>
              {label}
            </Button>
            <Button kind={kind} size="small">
              {label}
            </Button>
          </Line>
        ))}
        <Button isIcon aria-label="New task">
          <Plus size={16} aria-hidden />
        </Button>
        <p className="hint">
          An action that is not possible keeps its place. The reason is its tooltip and description.
        </p>
      </Section>
      <Section title="Fields">
        <div className="pair">
          <Field label="Empty" placeholder="cart, shipping" />
          <Field label="Filled" value="cart" />
          <Field label="Wrong" value="twenty" error="Enter an amount in dollars, such as 15." />
          <Field label="Not possible" value="main" hint="Set by the project's file" />
        </div>
      </Section>
      <Floating />
    </>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly error?: string;
  readonly hint?: string;
}

function Field({ label, value, placeholder, error, hint }: FieldProps) {
  return (
    <div className="field">
      <label htmlFor={label}>{label}</label>
      <input
        className="in"
        id={label}
        defaultValue={value}
        placeholder={placeholder}
        disabled={hint !== undefined}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={`${label}-about`}
      />
      <span className={error === undefined ? "hint" : "err"} id={`${label}-about`}>
        {error !== undefined && <CircleAlert size={14} aria-hidden />}
        {error ?? hint}
      </span>
    </div>
  );
}

function Floating() {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  return (
    <Section title="Dialog and toast" hint="A dialog only asks before something that cannot be undone">
      <Line>
        <Button onClick={() => setOpen(true)}>Open the dialog</Button>
        <Button onClick={() => showToast("Plan 9f2c41d8 is approved. It starts when a slot is free.")}>
          Show a toast
        </Button>
      </Line>
      <Toasts />
      {isOpen && (
        <ConfirmDialog
          title='Cancel "Upgrade the PDF renderer"?'
          action="Cancel the task"
          onConfirm={close}
          onClose={close}
        >
          The run ends now. Its branch is kept.
        </ConfirmDialog>
      )}
    </Section>
  );
}
