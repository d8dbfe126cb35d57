import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { ProblemError } from "../../../../src/http/client/client.ts";
import { DONE, useAction } from "../../api/actions.ts";
import { useApi } from "../../api/queries.ts";
import { useDraft } from "../../app/draft.ts";
import { showToast } from "../../ui/toast.tsx";
import type { FormFields } from "./field.tsx";
import {
  checkForm,
  EMPTY_FORM,
  type FieldName,
  type FieldProblems,
  problemsByField,
  type TaskForm,
  toDraftBody,
} from "./form.ts";
import { type TaskPreview, useTaskPreview } from "./use-preview.ts";

export interface TaskFormState extends FormFields {
  readonly preview: TaskPreview;
  readonly isBusy: boolean;
  /** Why the task could not be submitted, if no field is the reason. */
  readonly failure: Error | null;
  /** Increases with every attempt that found problems, so that the view can focus the first. */
  readonly attempts: number;
  submit(then: "open" | "another"): Promise<void>;
}

/** The draft of a new task, what is wrong with it, and sending it. */
export function useTaskForm(): TaskFormState {
  const [stored, store] = useDraft<Partial<TaskForm>>("new-task", {});
  const [last, remember] = useDraft("new-task.last", { project: "", pipeline: EMPTY_FORM.pipeline });
  const [left, setLeft] = useState<readonly FieldName[]>([]);
  const [refused, setRefused] = useState<FieldProblems>({});
  const [attempts, setAttempts] = useState(0);
  const form = useDefaults(stored, last);
  const action = useAction("POST /tasks");
  const navigate = useNavigate();
  const preview = useTaskPreview(form);
  usePrefill((change) => store({ ...stored, ...change }));

  const own = checkForm(form);
  const found = problemsByField(preview.data?.problems ?? []).fields;
  const problems: FieldProblems = { ...found, ...refused, ...own };
  // Before the first attempt, only fields that the person has left are judged.
  const isShown = (name: FieldName): boolean => attempts > 0 || left.includes(name);

  const set = (change: Partial<TaskForm>): void => {
    store({ ...form, ...change });
    setRefused(Object.fromEntries(Object.entries(refused).filter(([name]) => !Object.hasOwn(change, name))));
    action.reset();
  };

  async function submit(then: "open" | "another"): Promise<void> {
    if (Object.keys(problems).length > 0) return setAttempts(attempts + 1);
    const reply = await action.run({ body: toDraftBody(form) });
    if (reply === null) return setAttempts(attempts + 1);
    remember({ project: form.project, pipeline: form.pipeline });
    store({});
    setLeft([]);
    setAttempts(0);
    showToast("Submitted. It starts when a slot is free.");
    if (then === "open" && reply !== DONE) void navigate({ to: "/tasks/$id", params: { id: reply.id } });
  }

  const { error } = action;
  const byField = error instanceof ProblemError ? problemsByField(error.issues) : null;
  useEffect(() => {
    if (error instanceof ProblemError) setRefused(problemsByField(error.issues).fields);
  }, [error]);
  const isExplained = byField !== null && Object.keys(byField.fields).length > 0 && byField.others.length === 0;

  return {
    form,
    problemOf: (name) => (isShown(name) ? problems[name] : undefined),
    set,
    leave: (name) => {
      if (!left.includes(name)) setLeft([...left, name]);
    },
    preview,
    isBusy: action.isBusy,
    failure: isExplained ? null : error,
    attempts,
    submit,
  };
}

/** The project and the pipeline of the last task, or the only project. */
function useDefaults(
  stored: Partial<TaskForm>,
  last: { readonly project: string; readonly pipeline: string },
): TaskForm {
  const projects = useApi("GET /projects").data?.projects ?? [];
  const form = { ...EMPTY_FORM, pipeline: last.pipeline, ...stored };
  if (form.project !== "") return form;
  const known = projects.find(({ name }) => name === last.project) ?? (projects.length === 1 ? projects[0] : undefined);
  return { ...form, project: known?.name ?? "" };
}

const PREFILLED = ["project", "pipeline", "after", "related", "description", "url"] as const;

/** Other views link here with a part of the form in the address. */
function usePrefill(fill: (change: Partial<TaskForm>) => void): void {
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const latest = useRef({ search, fill });
  useEffect(() => {
    const { search: given, fill: fillNow } = latest.current;
    const change = Object.fromEntries(
      PREFILLED.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
    ) as Partial<TaskForm>;
    if (Object.keys(change).length > 0) fillNow(change);
  }, []);
}
