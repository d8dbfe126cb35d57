import type { ReportJson } from "../../../../../src/http/client/client.ts";
import { chooseWindow, type Ticks, type TimeWindow } from "./night-window.ts";

/** Where everything stands on the night line. All positions and lengths are in percent of its width. */
export interface NightLine {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly Tick[];
  readonly lanes: readonly Lane[];
  readonly gaps: readonly GapBox[];
  readonly now: number | null;
  /** From here on, it is the person's turn. Null if nothing waits or work goes on. */
  readonly dawn: number | null;
}

export interface Tick {
  readonly at: number;
  readonly left: number;
  readonly label: "always" | "wide" | "none";
}

export interface Lane {
  readonly name: string;
  readonly bars: readonly Bar[];
  /** Rows of bars. Work at the same time has more than one. */
  readonly tracks: number;
  /** Where a task stopped for a person who has not decided yet. */
  readonly stops: readonly Stop[];
}

interface Stop {
  readonly task: string;
  readonly left: number;
  readonly track: number;
}

export interface Bar {
  readonly run: string;
  readonly left: number;
  readonly width: number;
  /** From 0, which is the top one. */
  readonly track: number;
  readonly look: "agent" | "engine" | "failed" | "running";
}

export interface GapBox {
  readonly left: number;
  readonly width: number;
  readonly reason: string;
  readonly isLabelled: boolean;
}

export interface NightFacts extends Pick<ReportJson, "spans" | "gaps"> {
  /** Start of the night: a full hour. */
  readonly since: number;
  readonly until: number;
  /** Null for an earlier night. */
  readonly now: number | null;
  /** Tasks that wait for a person, and since when. */
  readonly stops: readonly { readonly task: string; readonly project: string; readonly at: number }[];
}

const MAX_LANES = 8;
const TRACKS = [0, 1, 2, 3];
export const OTHERS = "others";
/** A narrower gap has no room for its reason. */
const MIN_LABELLED = 16;

export function layoutNight(facts: NightFacts): NightLine {
  const end = facts.now ?? facts.until;
  const spans = facts.spans.map((span) => ({
    ...span,
    start: Date.parse(span.from),
    end: span.to === null ? end : Date.parse(span.to),
  }));
  const window = chooseWindow(facts.since, spans);
  const place = (at: number): number => round(((at - window.from) / (window.to - window.from)) * 100);
  const isInside = (at: number): boolean => at >= window.from && at <= window.to;
  const laneOf = nameLanes(spans, facts.stops);
  const names = [...new Set(laneOf.values())];
  return {
    from: window.from,
    to: window.to,
    ticks: listTicks(window, place),
    lanes: names.map((name) =>
      layoutLane(
        name,
        {
          spans: spans.filter(({ project }) => laneOf.get(project) === name),
          stops: facts.stops.filter(({ project, at }) => laneOf.get(project) === name && isInside(at)),
        },
        { window, place },
      ),
    ),
    gaps: layoutGaps(facts, end, { window, place }),
    now: facts.now !== null && isInside(facts.now) ? place(facts.now) : null,
    dawn: findDawn(facts, spans, { window, place }),
  };
}

interface PlacedSpan {
  readonly run: string;
  readonly task: string;
  readonly project: string;
  readonly step: string;
  readonly status: string;
  readonly to: string | null;
  readonly start: number;
  readonly end: number;
}

interface Scale {
  readonly window: TimeWindow;
  readonly place: (at: number) => number;
}

/** The busiest projects have a lane of their own, busiest first. The rest share one. */
function nameLanes(spans: readonly PlacedSpan[], stops: NightFacts["stops"]): ReadonlyMap<string, string> {
  const busy = new Map<string, number>(stops.map(({ project }) => [project, 0]));
  for (const { project, start, end } of spans) busy.set(project, (busy.get(project) ?? 0) + end - start);
  const projects = [...busy].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([project]) => project);
  const own = projects.length > MAX_LANES ? MAX_LANES - 1 : MAX_LANES;
  return new Map(projects.map((project, index) => [project, index < own ? project : OTHERS]));
}

/** Bars that overlap go to different tracks, and the bars of a task to the same one if possible. */
function layoutLane(
  name: string,
  { spans, stops }: { readonly spans: readonly PlacedSpan[]; readonly stops: NightFacts["stops"] },
  scale: Scale,
): Lane {
  const ends: number[] = [];
  const trackOf = new Map<string, number>();
  const bars = spans
    .toSorted((a, b) => a.start - b.start)
    .map((span) => {
      const isFree = (track: number): boolean => (ends[track] ?? 0) <= span.start;
      const own = trackOf.get(span.task);
      const track = own !== undefined && isFree(own) ? own : (TRACKS.find(isFree) ?? TRACKS.length - 1);
      trackOf.set(span.task, track);
      ends[track] = Math.max(ends[track] ?? 0, span.end);
      return { run: span.run, ...extent(span, scale), track, look: lookOf(span) };
    });
  return {
    name,
    bars,
    tracks: Math.max(1, ends.length),
    stops: stops.map(({ task, at }) => ({ task, left: scale.place(at), track: trackOf.get(task) ?? 0 })),
  };
}

function lookOf({ to, status, step }: PlacedSpan): Bar["look"] {
  if (to === null) return "running";
  if (step !== "agent") return "engine";
  return status === "failed" || status === "timeout" ? "failed" : "agent";
}

function extent(
  { start, end }: Pick<PlacedSpan, "start" | "end">,
  { window, place }: Scale,
): Pick<Bar, "left" | "width"> {
  const left = place(Math.max(start, window.from));
  return { left, width: round(Math.max(0, place(Math.min(end, window.to)) - left)) };
}

function layoutGaps({ gaps }: NightFacts, end: number, { window, place }: Scale): readonly GapBox[] {
  const inside = gaps
    .map(({ from, to, reason }) => ({ start: Date.parse(from), end: to === null ? end : Date.parse(to), reason }))
    .filter((gap) => gap.start < window.to && gap.end > window.from)
    .map((gap) => ({ ...extent(gap, { window, place }), reason: gap.reason }));
  return inside.map((gap) => {
    const longest = inside.every((other) => other === gap || !overlaps(gap, other) || isLonger(gap, other, inside));
    return { ...gap, isLabelled: gap.width >= MIN_LABELLED && longest };
  });
}

type Extent = Pick<GapBox, "left" | "width">;

function overlaps(a: Extent, b: Extent): boolean {
  return a.left < b.left + b.width && b.left < a.left + a.width;
}

/** Of two gaps of the same length, the first one. */
function isLonger<T extends Extent>(a: T, b: T, all: readonly T[]): boolean {
  return a.width > b.width || (a.width === b.width && all.indexOf(a) < all.indexOf(b));
}

function findDawn({ stops }: NightFacts, spans: readonly PlacedSpan[], { window, place }: Scale): number | null {
  if (stops.length === 0 || spans.some(({ to }) => to === null)) return null;
  const last = Math.max(...spans.map(({ end }) => end), ...stops.map(({ at }) => at));
  return last >= window.to ? null : place(Math.max(last, window.from));
}

/** Ticks are counted from the start of the night, so they are full hours of its time zone. */
function listTicks({ from, to, ticks }: TimeWindow, place: Scale["place"]): readonly Tick[] {
  const count = Math.floor((to - from) / ticks.every);
  return Array.from({ length: count + 1 }, (_, index) => {
    const at = from + index * ticks.every;
    return { at, left: place(at), label: labelOf(index, count, ticks) };
  });
}

function labelOf(index: number, count: number, { labelled }: Ticks): Tick["label"] {
  if (index % labelled !== 0 || index === count) return "none";
  return (index / labelled) % 2 === 0 ? "always" : "wide";
}

function round(percent: number): number {
  return Math.round(percent * 100) / 100;
}
