import { type MouseEvent, type RefObject, useEffect, useRef } from "react";
import { useRefusal } from "../../app/session.ts";
import { useShortcut } from "../../app/shortcuts.ts";
import { useTitle } from "../../app/title.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorBanner } from "../../ui/state.tsx";
import { usePipelines } from "../tasks/use-pipelines.ts";
import { MainFields } from "./main-fields.tsx";
import { MoreFields } from "./more-fields.tsx";
import { type TaskFormState, useTaskForm } from "./use-task-form.ts";
import { WillHappen } from "./will-happen.tsx";

const MOD = navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl ";

/** A form for a new task, next to what will happen with it. */
export function NewTaskView() {
  useTitle("New task");
  const state = useTaskForm();
  const { pipelines } = usePipelines(state.form.project || null);
  const pipeline = pipelines?.find(({ name }) => name === state.form.pipeline) ?? null;
  const refusal = useRefusal("submit", "Submitting a task");
  const details = useRef<HTMLDetailsElement>(null);
  const formElement = useRef<HTMLFormElement>(null);
  useFocusFirstProblem(formElement, details, state);
  const submit = (): void => {
    if (refusal === null) void state.submit("open");
  };
  useShortcut({ keys: "mod+Enter", label: "Submit the task", run: submit });
  return (
    <div className="page">
      <h1 className="h1 new-head">New task</h1>
      <div className="form">
        <form
          className="fields"
          ref={formElement}
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <MainFields fields={state} pipelines={pipelines ?? []} />
          <MoreFields fields={state} pipeline={pipeline} details={details} />
          {state.failure !== null && <ErrorBanner title="The task was not submitted." error={state.failure} />}
          <div className="flex wrap new-foot">
            <Button
              onMouseDown={keepFocus}
              type="submit"
              kind="primary"
              isBusy={state.isBusy}
              refusal={refusal}
              shortcut={`${MOD}↵`}
            >
              Submit the task
            </Button>
            <Button
              onMouseDown={keepFocus}
              kind="quiet"
              refusal={refusal ?? (state.isBusy ? "It is being sent." : null)}
              onClick={() => void state.submit("another")}
            >
              Submit and write another
            </Button>
            <span className="hint end">{refusal ?? "Kept as a draft in this browser"}</span>
          </div>
        </form>
        <WillHappen form={state.form} preview={state.preview} />
      </div>
    </div>
  );
}

/** Otherwise a problem that is shown when its field loses the focus would move the button away from the pointer. */
function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}

/** After an attempt with problems, the person continues at the first of them, also if it is under "More". */
function useFocusFirstProblem(
  form: RefObject<HTMLFormElement | null>,
  details: RefObject<HTMLDetailsElement | null>,
  { attempts }: TaskFormState,
): void {
  useEffect(() => {
    if (attempts === 0) return;
    const first = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (first == null) return;
    if (details.current?.contains(first) === true) details.current.setAttribute("open", "");
    first.focus();
  }, [attempts, form, details]);
}
