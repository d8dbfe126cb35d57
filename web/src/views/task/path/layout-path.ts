import type { Loop, TracedPath, TracedState } from "../../../../../src/core/pipeline/trace-path.ts";

/** Positions in the drawing, in its own units. A label is anchored so that it stays inside. */
export interface DrawnState extends TracedState {
  readonly x: number;
  readonly labelX: number;
  readonly labelY: number;
  readonly anchor: "start" | "middle" | "end";
}

export interface DrawnLoop extends Loop {
  readonly path: string;
  /** Tip of the arrow. */
  readonly tip: { readonly x: number; readonly y: number };
  readonly label: { readonly x: number; readonly y: number };
}

export interface DrawnPath {
  readonly width: number;
  readonly height: number;
  readonly lineY: number;
  readonly states: readonly DrawnState[];
  readonly loops: readonly DrawnLoop[];
}

const WIDTH = 980;
const EDGE = 6;
const CHARACTER = 6.7;
const MIN_GAP = 20;
const LABEL_Y = 8;
/** The second row of labels, if they do not fit into one. */
const ROW = 16;
const LEVEL = 31;
const TIP_GAP = 13;

/** Places the states on a line from left to right, and the loops as arcs below it that do not cross their labels. */
export function layoutPath({ states, loops }: Pick<TracedPath, "states" | "loops">): DrawnPath {
  const widths = states.map(({ name }) => name.length * CHARACTER);
  const needed = sum(widths) + MIN_GAP * Math.max(0, states.length - 1);
  const isStaggered = needed > WIDTH;
  const width = isStaggered ? Math.max(WIDTH, needed / 1.7) : WIDTH;
  const lineY = LABEL_Y + (isStaggered ? ROW : 0) + 18;
  const drawn = isStaggered ? placeEvenly(states, width) : placeByLabels(states, widths, width);
  const levels = levelLoops(loops, drawn);
  const deepest = Math.max(0, ...levels);
  return {
    width,
    height: lineY + 14 + deepest * LEVEL,
    lineY,
    states: drawn,
    loops: loops.map((loop, index) => drawLoop(loop, levels[index] ?? 1, { loops, index, drawn, lineY })),
  };
}

/** Equal gaps between the labels. */
function placeByLabels(
  states: readonly TracedState[],
  widths: readonly number[],
  width: number,
): readonly DrawnState[] {
  const gap = states.length < 2 ? 0 : (width - sum(widths)) / (states.length - 1);
  let left = 0;
  return states.map((state, index) => {
    const own = widths[index] ?? 0;
    const anchor = index === 0 ? "start" : index === states.length - 1 ? "end" : "middle";
    const labelX = { start: 0, middle: left + own / 2, end: width }[anchor];
    const x = { start: EDGE, middle: labelX, end: width - EDGE }[anchor];
    left += own + gap;
    return { ...state, x, labelX, labelY: LABEL_Y, anchor };
  });
}

/** Equal gaps between the states, with labels in two rows. */
function placeEvenly(states: readonly TracedState[], width: number): readonly DrawnState[] {
  const gap = (width - 2 * EDGE) / Math.max(1, states.length - 1);
  return states.map((state, index) => {
    const x = EDGE + index * gap;
    const anchor = index === 0 ? "start" : index === states.length - 1 ? "end" : "middle";
    const labelX = { start: 0, middle: x, end: width }[anchor];
    return { ...state, x, labelX, labelY: LABEL_Y + (index % 2 === 0 ? 0 : ROW), anchor };
  });
}

/** Short loops are drawn above long ones that they overlap. Counts from 1. */
function levelLoops(loops: readonly Loop[], states: readonly DrawnState[]): readonly number[] {
  const spans = loops.map((loop) => spanOf(loop, states));
  const levels: number[] = loops.map(() => 0);
  const byLength = [...spans.keys()].toSorted((a, b) => lengthOf(spans[a]) - lengthOf(spans[b]));
  for (const index of byLength) {
    const below = byLength.filter((other) => (levels[other] ?? 0) > 0 && doOverlap(spans[index], spans[other]));
    levels[index] = 1 + Math.max(0, ...below.map((other) => levels[other] ?? 0));
  }
  return levels;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function spanOf({ from, to }: Loop, states: readonly DrawnState[]): Span {
  const [a, b] = [positionOf(states, from), positionOf(states, to)];
  return { from: Math.min(a, b), to: Math.max(a, b) };
}

function lengthOf(span: Span | undefined): number {
  return span === undefined ? 0 : span.to - span.from;
}

function doOverlap(one: Span | undefined, other: Span | undefined): boolean {
  return one !== undefined && other !== undefined && one.from <= other.to && other.from <= one.to;
}

function positionOf(states: readonly DrawnState[], name: string): number {
  return states.find((state) => state.name === name)?.x ?? 0;
}

interface Surroundings {
  readonly loops: readonly Loop[];
  readonly index: number;
  readonly drawn: readonly DrawnState[];
  readonly lineY: number;
}

function drawLoop(loop: Loop, level: number, { loops, index, drawn, lineY }: Surroundings): DrawnLoop {
  const start = positionOf(drawn, loop.from) - (loop.from === loop.to ? -TIP_GAP : 6);
  // Arrows to the same state stand side by side, the longest at the left.
  const siblings = loops
    .map((other, at) => ({ at, to: other.to, length: lengthOf(spanOf(other, drawn)) }))
    .filter(({ to }) => to === loop.to)
    .toSorted((a, b) => b.length - a.length || a.at - b.at);
  const place = siblings.findIndex(({ at }) => at === index) - (siblings.length - 1) / 2;
  const tip = { x: positionOf(drawn, loop.to) + place * TIP_GAP, y: lineY + 7 };
  const depth = lineY + 10 + level * LEVEL * 1.2;
  const labelY = lineY + 6 + 0.75 * (depth - lineY - 6) + 4;
  const x = (start + tip.x) / 2;
  return {
    ...loop,
    tip,
    path: `M${round(start)} ${lineY + 6}C${round(start)} ${round(depth)},${round(tip.x)} ${round(depth)},${round(tip.x)} ${tip.y}`,
    label: { x: round(x), y: round(labelY) },
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
