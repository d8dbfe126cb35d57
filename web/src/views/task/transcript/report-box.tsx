import { fieldsOf, isFields } from "../../../../../src/core/transcript/tool-input.ts";
import { OutputText } from "./output-text.tsx";

const MAX_SHORT = 400;

export interface ReportBoxProps {
  readonly agent: string;
  readonly value: unknown;
  /** Null: nothing says whether the engine accepts the report. */
  readonly isValid: boolean | null;
}

/** What the agent says about its work. It is plain, because only checks prove something. */
export function ReportBox({ agent, value, isValid }: ReportBoxProps) {
  const outcome = isFields(value) && typeof value["outcome"] === "string" ? value["outcome"] : null;
  const summary = isFields(value) && typeof value["summary"] === "string" ? value["summary"] : null;
  const rest = fieldsOf(value).filter(([field, text]) => field !== "outcome" && field !== "summary" && text !== "");
  return (
    <div className="outc">
      <div className="flex wrap">
        <b className="strong" dir="auto">
          {agent} reported {outcome === null ? "its outcome" : <code>{outcome}</code>}
        </b>
        <span className="muted">{isValid === false ? "The report was invalid." : "A claim: the checks follow."}</span>
      </div>
      {summary !== null && (
        <p className="muted" dir="auto">
          “{summary}”
        </p>
      )}
      {rest.length > 0 && (
        <dl className="args">
          {rest.map(([field, text]) => (
            <div key={field}>
              <dt>{field === "" ? "report" : field}</dt>
              <dd>
                {text.length <= MAX_SHORT && !text.includes("\n") ? (
                  <span dir="auto">{text}</span>
                ) : (
                  <OutputText text={text} label={`${field} of the report`} />
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
