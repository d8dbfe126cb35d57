import { useMemo } from "react";
import type { TracedPath } from "../../../../../src/core/pipeline/trace-path.ts";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { Glyph } from "../../../ui/glyph.tsx";
import { type DrawnLoop, type DrawnPath, type DrawnState, layoutPath } from "./layout-path.ts";

type Status = TaskJson["status"];

interface DrawingProps {
  readonly path: TracedPath;
  readonly status: Status;
}

/** The states as a line, the loops as arcs with their limits. Time runs from left to right in every language. */
export function PathDrawing({ path, status }: DrawingProps) {
  const drawn = useMemo(() => layoutPath(path), [path]);
  return (
    <svg viewBox={`0 0 ${drawn.width} ${drawn.height}`} role="img" aria-label={path.sentence} direction="ltr">
      <Line drawn={drawn} />
      {drawn.loops.map((loop) => (
        <LoopArc key={`${loop.from} ${loop.to} ${loop.name}`} loop={loop} text={describeLoop(loop)} />
      ))}
      {drawn.states.map((state) => (
        <StateMark key={state.name} state={state} lineY={drawn.lineY} status={status} />
      ))}
    </svg>
  );
}

function Line({ drawn: { states, lineY } }: { drawn: DrawnPath }) {
  const first = states[0]?.x ?? 0;
  const last = states.at(-1)?.x ?? 0;
  const reached = states.findLast(({ place }) => place !== "ahead")?.x ?? first;
  return (
    <>
      <path d={`M${first} ${lineY}H${reached}`} stroke="var(--ink)" strokeWidth="1.5" />
      {last > reached && (
        <path d={`M${reached} ${lineY}H${last}`} stroke="var(--line-strong)" strokeWidth="1.5" strokeDasharray="3 4" />
      )}
    </>
  );
}

function LoopArc({ loop: { path, tip, label }, text }: { loop: DrawnLoop; text: string }) {
  const line = { fill: "none", stroke: "var(--ink-3)", strokeWidth: 1.25 } as const;
  return (
    <>
      <path d={path} {...line} />
      <path d={`M${tip.x - 3.5} ${tip.y + 5}L${tip.x} ${tip.y}L${tip.x + 3.5} ${tip.y + 5}`} {...line} />
      <text className="s" x={label.x} y={label.y} textAnchor="middle">
        {text}
      </text>
    </>
  );
}

/** "repair 1 of 3". Limits are reset now and then, so a loop may have been taken more often than its limit. */
function describeLoop({ name, times, max }: DrawnLoop): string {
  if (max !== null && times <= max) return `${name} ${times} of ${max}`;
  return times === 1 ? name : `${name} ×${times}`;
}

function StateMark({ state, lineY, status }: { state: DrawnState; lineY: number; status: Status }) {
  const { name, x, labelX, labelY, anchor, place } = state;
  return (
    <>
      <Dot {...{ x, lineY, place, status }} />
      <text
        x={labelX}
        y={labelY}
        textAnchor={anchor}
        className={place === "ahead" ? "f" : place === "current" ? `now ${status}` : undefined}
      >
        {name}
      </text>
    </>
  );
}

function Dot({ x, lineY, place, status }: Pick<DrawnState, "x" | "place"> & { lineY: number; status: Status }) {
  if (place === "past") return <circle cx={x} cy={lineY} r="5" fill="var(--ink)" />;
  if (place === "ahead")
    return <circle cx={x} cy={lineY} r="4.5" fill="var(--bg)" stroke="var(--line-strong)" strokeWidth="1.5" />;
  return (
    <>
      <circle cx={x} cy={lineY} r="11" fill="var(--bg)" />
      <svg x={x - 10} y={lineY - 10} width="20" height="20" viewBox="0 0 20 20">
        <Glyph name={status} size={20} />
      </svg>
    </>
  );
}
