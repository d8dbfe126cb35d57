import type { DocumentJson } from "../../../../src/http/client/client.ts";
import { deedRows, type DeedRow } from "./deed-rows.ts";

/** What the one run of a staged task is told and granted. */
export function DeedList({ content, inPlace }: Pick<DocumentJson, "content"> & { inPlace: boolean }) {
  return (
    <dl>
      {deedRows(content, { inPlace }).map((row) => (
        <Row key={row.label} row={row} />
      ))}
    </dl>
  );
}

/** The plan of a staged task: the prompt of one run and everything that it is granted. */
export function isExecutionPlan({ kind, content }: Pick<DocumentJson, "kind" | "content">): boolean {
  return kind === "plan" && typeof content["prompt"] === "string";
}

function Row({ row: { label, kind, values, hint } }: { row: DeedRow }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {kind === "text" ? (
          <pre dir="auto">{values.join("\n")}</pre>
        ) : (
          values.map((value, index) => (
            <span key={value}>
              {index > 0 && ", "}
              {kind === "code" ? <code dir="auto">{value}</code> : value}
            </span>
          ))
        )}
        {hint !== undefined && <span className="hint">{hint}</span>}
      </dd>
    </>
  );
}
