import { ALL_PROJECTS, type NoticeAbout, type NoticeData } from "./notice.ts";
import type { WaitKind } from "../pipeline/pipeline.ts";
import { terminalLine } from "../text/terminal-text.ts";

/** A notice as shown on a phone. */
export interface Message {
  readonly title: string;
  /** At most five. */
  readonly lines: readonly string[];
}

const MAX_TITLE = 120;
const MAX_LINE = 160;
/** These sentences say what is missing and what to do, so they need more space. */
const MAX_HAPPENED = 400;
const MAX_LINES = 5;
const MINUTE = 60_000;

/** Outcomes of a night in plain words. */
const OUTCOMES: Readonly<Record<string, string>> = {
  published: "published",
  no_improvement: "nothing to improve",
  abandoned: "abandoned",
};

const HAPPENED: Readonly<Record<NoticeAbout, string>> = {
  remote: "waits for its remote",
  machine: "waits for this machine",
  closed: "closed without a reason",
  missed: "was missed and starts now",
  skipped: "left out",
  refused: "could not be started",
  report: "report of the night",
  test: "test message",
  quota: "waits for a usage limit to reset",
  login: "waits for a login",
  program: "waits for the program of its agent",
  provider: "waits for a server",
};

const WAITS: Readonly<Record<WaitKind, string>> = {
  approval: "waits for your approval",
  answers: "waits for your answers",
  choice: "waits for your choice",
  review: "waits for a review",
  merge: "waits to be merged",
};

const DEFAULT_REASONS: Readonly<Partial<Record<WaitKind, string>>> = {
  approval: "Its plan is ready to be read.",
  review: "The change is ready to be read.",
  merge: "The change is ready to be merged.",
};

export interface NoticeContent {
  readonly project: string;
  readonly title: string;
  readonly data: NoticeData;
}

export function messageOf({ project, title, data }: NoticeContent): Message {
  const subject = data.category ?? title;
  const command = isAsked(data) ? data.next[0] : undefined;
  const facts = [
    // A truncated URL would be useless.
    ...(data.url === null ? [] : [data.url]),
    ...(data.page === undefined ? [] : [data.page]),
    ...(data.unchecked === undefined
      ? []
      : [terminalLine(`Not checked, because the checks are not accepted: ${data.unchecked.join(", ")}.`, MAX_LINE)]),
    ...(data.about === undefined ? [`${costWords(data.costUsd)} · ${durationWords(data.durationMs)}`] : []),
    ...(command === undefined ? [] : [terminalLine(`→ ${command}`, MAX_LINE)]),
  ];
  const longest = data.about === undefined ? MAX_LINE : MAX_HAPPENED;
  const reasons = reasonsOf(data).slice(0, MAX_LINES - facts.length);
  return {
    title: terminalLine(`${project === ALL_PROJECTS ? "" : `${project}: `}${wordFor(data)} – ${subject}`, MAX_TITLE),
    lines: [...reasons.map((reason) => terminalLine(reason, longest)), ...facts],
  };
}

function isAsked({ about, status, waitingFor }: NoticeData): boolean {
  if (about !== undefined) return about !== "missed" && about !== "skipped";
  return waitingFor !== null || status === "failed";
}

/** What happened to the task, in two or three words. */
export function wordFor({ about, isNight = false, status, outcome, waitingFor }: NoticeData): string {
  if (about !== undefined) return HAPPENED[about];
  if (waitingFor !== null) return WAITS[waitingFor];
  if (status === "cancelled") return "cancelled";
  const named = isNight ? OUTCOMES[outcome ?? ""] : undefined;
  return named ?? (status === "failed" ? "failed" : "done");
}

/** Unknown costs are shown as unknown, and a fraction of a cent is not shown as zero. */
export function costWords(usd: number | null): string {
  if (usd === null) return "cost unknown";
  return usd > 0 && usd < 0.01 ? "less than $0.01" : `$${usd.toFixed(2)}`;
}

export function durationWords(ms: number): string {
  if (ms < MINUTE) return `${Math.round(ms / 1_000)} s`;
  const minutes = Math.round(ms / MINUTE);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function reasonsOf({ reason, waitingFor }: NoticeData): readonly string[] {
  const said = reason ?? (waitingFor === null ? "" : (DEFAULT_REASONS[waitingFor] ?? ""));
  return said.split("\n").filter((line) => line.trim() !== "");
}
