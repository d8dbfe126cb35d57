import type { ReactNode } from "react";

export type GlyphName =
  | "queued"
  | "running"
  | "waiting"
  | "paused"
  | "succeeded"
  | "failed"
  | "cancelled"
  | "baseline"
  | "flaky"
  | "timeout"
  | "skipped";

const RING = <circle cx="8" cy="8" r="5.75" fill="none" stroke="currentColor" strokeWidth="1.5" />;

interface Shape {
  readonly color: string;
  readonly word: string;
  readonly paths: ReactNode;
}

const SHAPES: Readonly<Record<GlyphName, Shape>> = {
  queued: {
    color: "var(--ink-3)",
    word: "Queued",
    paths: (
      <circle cx="8" cy="8" r="5.75" fill="none" stroke="currentColor" strokeWidth="1.5" strokeDasharray="2.2 2.3" />
    ),
  },
  running: {
    color: "var(--blue)",
    word: "Running",
    paths: (
      <>
        <circle cx="8" cy="8" r="5.75" fill="none" stroke="currentColor" strokeWidth="1.5" opacity=".28" />
        <path className="arc" d="M8 2.25a5.75 5.75 0 0 1 5.75 5.75" {...line(2)} />
      </>
    ),
  },
  waiting: {
    color: "var(--amber)",
    word: "Waiting for you",
    paths: (
      <>
        <path d="M3.6 10.4a4.4 4.4 0 0 1 8.8 0z" fill="currentColor" />
        <path d="M1.25 12.6h13.5M8 1.6v1.9M2.3 4.4l1.3 1.3M13.7 4.4l-1.3 1.3" {...line(1.5)} />
      </>
    ),
  },
  paused: {
    color: "var(--ink-2)",
    word: "Paused",
    paths: (
      <>
        {RING}
        <path d="M6.4 5.9v4.2M9.6 5.9v4.2" {...line(1.6)} />
      </>
    ),
  },
  succeeded: {
    color: "var(--green)",
    word: "Succeeded",
    paths: (
      <>
        <circle cx="8" cy="8" r="6.5" fill="currentColor" />
        <path d="M5.2 8.2l2 2 3.7-4.1" {...line(1.6)} stroke="var(--bg-raised)" />
      </>
    ),
  },
  failed: {
    color: "var(--red)",
    word: "Failed",
    paths: (
      <>
        <path d="M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3z" fill="currentColor" />
        <path d="M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4" {...line(1.6)} stroke="var(--bg-raised)" />
      </>
    ),
  },
  cancelled: {
    color: "var(--ink-3)",
    word: "Cancelled",
    paths: (
      <>
        {RING}
        <path d="M4.2 11.8l7.6-7.6" {...line(1.5)} />
      </>
    ),
  },
  baseline: {
    color: "var(--ink-2)",
    word: "Red baseline",
    paths: (
      <>
        <path d="M5.4 2.2h5.2l3.2 3.2v5.2l-3.2 3.2H5.4l-3.2-3.2V5.4z" {...line(1.5)} />
        <path d="M6 6l4 4M10 6l-4 4" {...line(1.5)} />
      </>
    ),
  },
  flaky: {
    color: "var(--ink-2)",
    word: "Flaky",
    paths: (
      <>
        {RING}
        <path d="M4.9 8.6c1-2 2-2 3.1-.6s2.1 1.4 3.1-.6" {...line(1.5)} />
      </>
    ),
  },
  timeout: {
    color: "var(--red)",
    word: "Timed out",
    paths: (
      <>
        {RING}
        <path d="M8 4.8V8l2.2 1.6" {...line(1.5)} />
      </>
    ),
  },
  skipped: {
    color: "var(--ink-3)",
    word: "Skipped",
    paths: (
      <>
        {RING}
        <path d="M5.6 8h4.8" {...line(1.6)} />
      </>
    ),
  },
};

function line(width: number) {
  return { fill: "none", stroke: "currentColor", strokeWidth: width, strokeLinecap: "round" } as const;
}

export function glyphWord(name: GlyphName): string {
  return SHAPES[name].word;
}

/** The shape of a status. Without a `label` it is decoration next to the word. */
export function Glyph({ name, label, size = 16 }: { name: GlyphName; label?: string; size?: number }) {
  const { color, paths } = SHAPES[name];
  const access = label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label };
  return (
    <svg className={`g-${name}`} width={size} height={size} viewBox="0 0 16 16" style={{ color }} {...access}>
      {paths}
    </svg>
  );
}

/** Shape, colour and word of a status. */
export function Status({ name, children }: { name: GlyphName; children?: ReactNode }) {
  return (
    <span className={`st ${name}`}>
      <Glyph name={name} />
      {children ?? SHAPES[name].word}
    </span>
  );
}

const BARS = [
  { x: 0, y: 7, height: 5 },
  { x: 5.2, y: 3.5, height: 8.5 },
  { x: 10.4, y: 0, height: 12 },
];
const RISK_LEVELS = ["low", "medium", "high"] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

export function RiskBars({ level }: { level: RiskLevel }) {
  const lit = RISK_LEVELS.indexOf(level);
  return (
    <svg width="14" height="12" viewBox="0 0 14 12" aria-hidden fill="currentColor">
      {BARS.map((bar, index) => (
        <rect key={bar.x} {...bar} width="3.4" rx=".8" className={index > lit ? "off" : undefined} />
      ))}
    </svg>
  );
}

export function Risk({ level }: { level: RiskLevel }) {
  return (
    <span className={`risk ${level}`}>
      <RiskBars level={level} />
      {{ low: "Low risk", medium: "Medium risk", high: "High risk" }[level]}
    </span>
  );
}

/** The mark is lit while something waits for a person. */
export function Mark({ isLit, size = 20 }: { isLit: boolean; size?: number }) {
  const sun = isLit ? { fill: "var(--amber-solid)" } : { ...line(1.4) };
  return (
    <svg width={size} height={size} viewBox="0 0 20 20" aria-hidden>
      <path d="M4.9 12.4a5.1 5.1 0 0 1 10.2 0z" {...sun} />
      <path d="M1.5 15h17" {...line(1.8)} />
      <path d="M5.5 18h9" {...line(1.8)} opacity=".45" />
    </svg>
  );
}
