import { EntryList } from "../../../../../src/core/transcript/entry-list.ts";
import type { Entry } from "../../../../../src/core/transcript/entry.ts";
import type { OutputPageJson } from "../../../../../src/http/client/client.ts";
import { api } from "../../../api/client.ts";

/** What the browser keeps of a transcript. Scrolling on drops the other end. */
const MAX_BYTES = 2 * 1024 * 1024;
const PAGE_BYTES = 256 * 1024;
/** A person cannot read faster, and each change costs a layout. */
const EMIT_MS = 100;
const END = Number.MAX_SAFE_INTEGER;

export type Place = "start" | "end" | number;

interface Part {
  readonly start: number;
  readonly end: number;
  readonly lines: OutputPageJson["lines"];
}

export interface WindowState {
  readonly entries: readonly Entry[];
  /** The byte range that `entries` show. */
  readonly start: number;
  readonly end: number;
  /** Of the whole transcript. */
  readonly size: number;
  /** How many lines arrived at the end since the window was opened there. */
  readonly arrived: number;
  readonly isLoading: boolean;
  readonly error: Error | null;
}

const EMPTY: WindowState = { entries: [], start: 0, end: 0, size: 0, arrived: 0, isLoading: true, error: null };

/** The part of a transcript around what a person reads. It never holds all of a large one. */
export class PageWindow {
  private readonly run: string;
  private readonly isRaw: boolean;
  private parts: readonly Part[] = [];
  private list = new EntryList();
  private state: WindowState = EMPTY;
  private readonly listeners = new Set<() => void>();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private abort = new AbortController();
  private isReading = false;
  private arrived = 0;
  private size = 0;
  private error: Error | null = null;

  constructor(run: string, isRaw: boolean) {
    this.run = run;
    this.isRaw = isRaw;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getState = (): WindowState => this.state;

  /** The position in `entries` of what shows the line at this offset. Null if it is not loaded. */
  indexOf(offset: number): number | null {
    return offset >= this.start && offset < this.end ? this.list.indexOf(offset) : null;
  }

  get start(): number {
    return this.parts[0]?.start ?? 0;
  }

  get end(): number {
    return this.parts.at(-1)?.end ?? 0;
  }

  /** Shows the start, the end, or the lines around an offset. */
  async open(place: Place): Promise<void> {
    this.abort.abort();
    this.abort = new AbortController();
    this.isReading = false;
    await this.read(async (signal) => {
      const pages =
        typeof place === "number"
          ? await Promise.all([this.fetch({ before: place }, signal), this.fetch({ offset: place }, signal)])
          : [await this.fetch(place === "end" ? { before: END } : { offset: 0 }, signal)];
      this.parts = pages.filter(({ lines, next, offset }) => lines.length > 0 || next > offset).map(toPart);
      this.rebuild();
    });
  }

  async readBefore(): Promise<void> {
    if (this.start === 0) return;
    await this.read(async (signal) => {
      const page = await this.fetch({ before: this.start }, signal);
      if (page.next !== this.start) return;
      this.parts = [toPart(page), ...this.parts];
      this.parts = dropFrom(this.parts, "end");
      this.rebuild();
    });
  }

  async readAfter(): Promise<void> {
    await this.read(async (signal) => {
      const page = await this.fetch({ offset: this.end }, signal);
      if (page.next > page.offset) this.append(page);
    });
  }

  /** Adds what arrived at the end. */
  add(page: OutputPageJson): void {
    if (page.offset !== this.end || page.next <= page.offset) return;
    this.arrived += page.lines.length;
    this.size = Math.max(this.size, page.size);
    this.append(page);
    this.emitSoon();
  }

  close(): void {
    this.abort.abort();
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private append(page: OutputPageJson): void {
    const last = this.parts.at(-1);
    const part = toPart(page);
    // A live transcript arrives in small pieces.
    if (last !== undefined && part.end - last.start <= PAGE_BYTES)
      this.parts = [...this.parts.slice(0, -1), { ...last, end: part.end, lines: [...last.lines, ...part.lines] }];
    else this.parts = [...this.parts, part];
    const kept = dropFrom(this.parts, "start");
    if (kept.length === this.parts.length) return this.addLines(part);
    this.parts = kept;
    this.rebuild();
  }

  private rebuild(): void {
    this.list = new EntryList();
    for (const part of this.parts) this.addLines(part);
  }

  private addLines({ lines }: Part): void {
    for (const line of lines)
      this.list.add(this.isRaw ? { ...line, events: [{ type: "raw", text: line.text ?? "" }] } : line);
  }

  private async read(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.isReading) return;
    const { signal } = this.abort;
    this.isReading = true;
    this.error = null;
    try {
      await work(signal);
    } catch (error) {
      if (signal.aborted) return;
      this.error = error instanceof Error ? error : new Error(String(error));
    }
    if (signal.aborted) return;
    this.isReading = false;
    this.emit();
  }

  private async fetch(place: { readonly offset?: number; readonly before?: number }, signal: AbortSignal) {
    const query = { ...place, raw: String(this.isRaw) };
    const page = await api.call("GET /runs/:id/output", { params: { id: this.run }, query, signal });
    this.size = Math.max(this.size, page.size);
    return page;
  }

  private emitSoon(): void {
    this.timer ??= setTimeout(() => this.emit(), EMIT_MS);
  }

  private emit(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const { start, end, size, arrived, error } = this;
    // A copy, because the list grows in place.
    this.state = { entries: [...this.list.entries], start, end, size, arrived, error, isLoading: false };
    for (const listener of this.listeners) listener();
  }
}

function toPart({ offset, next, lines }: OutputPageJson): Part {
  return { start: offset, end: next, lines };
}

function dropFrom(parts: readonly Part[], end: "start" | "end"): readonly Part[] {
  const kept = [...parts];
  const bytes = (): number => (kept.at(-1)?.end ?? 0) - (kept[0]?.start ?? 0);
  while (kept.length > 2 && bytes() > MAX_BYTES) {
    if (end === "start") kept.shift();
    else kept.pop();
  }
  return kept;
}
