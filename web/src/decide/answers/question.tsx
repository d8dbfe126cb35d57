import { useId } from "react";
import { Markdown } from "../../ui/markdown.tsx";
import { Voice } from "../../ui/voice.tsx";
import type { QuestionJson } from "../wait.ts";
import { labelOf, Otherwise } from "./deadline.tsx";

export interface QuestionProps {
  readonly question: QuestionJson;
  readonly number: number;
  /** Who asks, for the context. */
  readonly by: string;
  readonly deadline: string | null;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}

/** One question of an agent: text, one of several answers, or yes and no. */
export function Question(props: QuestionProps) {
  return props.question.input === "text" ? <TextQuestion {...props} /> : <ChoiceQuestion {...props} />;
}

function Context({ question, by }: Pick<QuestionProps, "question" | "by">) {
  if (question.context === null || question.context.trim() === "") return null;
  return (
    <Voice by={`${by} wrote`}>
      <Markdown text={question.context} />
    </Voice>
  );
}

function ChoiceQuestion({ question, number, by, deadline, value, problem, onChange }: QuestionProps) {
  const id = useId();
  const isBoolean = question.input === "boolean";
  return (
    <fieldset className="q" aria-describedby={problem === undefined ? undefined : `${id}-problem`}>
      <legend dir="auto">
        {number}. {question.question}
      </legend>
      <Context {...{ question, by }} />
      <div className={isBoolean ? "choices across" : "choices"}>
        {question.options.map((option) => (
          <label className="choice" key={option}>
            <input type="radio" name={id} value={option} checked={value === option} onChange={() => onChange(option)} />
            <span dir="auto">{labelOf(question, option)}</span>
            {option === question.default && <span className="faint">default</span>}
          </label>
        ))}
      </div>
      <Problem id={`${id}-problem`} text={problem} />
      <Otherwise {...{ question, deadline }} />
    </fieldset>
  );
}

function TextQuestion({ question, number, by, deadline, value, problem, onChange }: QuestionProps) {
  const id = useId();
  return (
    <div className="q">
      <label className="lab" htmlFor={id} dir="auto">
        {number}. {question.question}
      </label>
      <Context {...{ question, by }} />
      <textarea
        id={id}
        className="in"
        dir="auto"
        rows={value.includes("\n") || value.length > 120 ? 4 : 1}
        maxLength={20_000}
        value={value}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        onChange={(event) => onChange(event.target.value)}
      />
      <Problem id={`${id}-problem`} text={problem} />
      <Otherwise {...{ question, deadline }} />
    </div>
  );
}

function Problem({ id, text }: { id: string; text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p className="err" id={id}>
      {text}
    </p>
  );
}
