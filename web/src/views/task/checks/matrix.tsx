import { Link } from "@tanstack/react-router";
import type { CheckJson, TaskJson } from "../../../../../src/http/client/client.ts";
import { Glyph, glyphWord } from "../../../ui/glyph.tsx";
import { ScrollArea } from "../../../ui/scroll-area.tsx";
import { Time } from "../../../ui/time.tsx";
import { Commit } from "../facts/fact.tsx";
import { describeCell, glyphOf, isBuiltIn } from "./check-words.ts";
import type { CheckColumn, CheckMatrix } from "./read-matrix.ts";

interface MatrixProps {
  readonly task: TaskJson;
  readonly matrix: CheckMatrix;
  readonly chosen: CheckJson | null;
}

/** Check by commit. Each result opens its output below. */
export function Matrix({ task, matrix: { columns, names, find }, chosen }: MatrixProps) {
  return (
    <ScrollArea label="Checks by commit">
      <table className="matrix">
        <thead>
          <tr>
            <th>Check</th>
            {columns.map((column) => (
              <Head key={column.run.id} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <th scope="row">
                <b className="strong" dir="auto">
                  {name}
                </b>
                <Kind name={name} severity={severityOf(columns, name, find)} />
              </th>
              {columns.map(({ run, isHead }) => (
                <td key={run.id} className={isHead ? "now-c" : undefined}>
                  <Cell task={task.id} check={find(run.id, name)} chosen={chosen} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

function Head({ column: { run, commit, isHead } }: { column: CheckColumn }) {
  return (
    <th scope="col" className={isHead ? "now-c" : undefined}>
      <Commit hash={commit} /> <Time at={run.started_at ?? run.created_at} />
      {isHead && ", head"}
    </th>
  );
}

function Kind({ name, severity }: { name: string; severity: CheckJson["severity"] | null }) {
  if (isBuiltIn(name)) return <span className="faint"> built in</span>;
  return severity === "warning" ? <span className="faint"> warning only</span> : null;
}

function severityOf(columns: readonly CheckColumn[], name: string, find: CheckMatrix["find"]) {
  return columns.map(({ run }) => find(run.id, name)).findLast((check) => check !== null)?.severity ?? null;
}

function Cell({ task, check, chosen }: { task: string; check: CheckJson | null; chosen: CheckJson | null }) {
  if (check === null) return <span className="faint">did not run</span>;
  const glyph = glyphOf(check);
  const isChosen = chosen !== null && chosen.run === check.run && chosen.name === check.name;
  return (
    <Link
      to="/tasks/$id/$tab"
      params={{ id: task, tab: "checks" }}
      search={{ run: check.run, check: check.name }}
      className={`cell ${glyph === "failed" ? "c-red strong" : ""}`}
      activeProps={{}}
      aria-current={isChosen || undefined}
      resetScroll={false}
    >
      <Glyph name={glyph} {...(check.status === "passed" && { label: glyphWord(glyph) })} />
      <span>{describeCell(check)}</span>
    </Link>
  );
}
