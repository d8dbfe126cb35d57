import type { TranscriptLine } from "../../core/task/documents/transcript.ts";
import type { PlacedLine } from "../../ports/run-files.ts";

const AT = Date.UTC(2026, 10, 15, 22);

/** A transcript that grows when a test says so. Offsets are bytes, as in the file. */
export class FakeTranscript {
  private readonly lines: { readonly line: PlacedLine; readonly end: number }[] = [];
  private readonly watchers = new Set<() => void>();

  get watched(): number {
    return this.watchers.size;
  }

  add(text: string): void {
    const line: TranscriptLine = { at: AT, from: "stdout", command: "agent", text };
    const offset = this.size;
    this.lines.push({ line: { ...line, offset }, end: offset + JSON.stringify(line).length + 1 });
    for (const wake of this.watchers) wake();
  }

  get size(): number {
    return this.lines.at(-1)?.end ?? 0;
  }

  async read(offset: number, maxBytes: number) {
    const found = this.lines.filter(({ end }) => end > offset && end <= offset + maxBytes);
    return { lines: found.map(({ line }) => line), start: offset, next: found.at(-1)?.end ?? offset, size: this.size };
  }

  async readBefore(before: number, maxBytes: number) {
    const to = Math.min(before, this.size);
    const found = this.lines.filter(({ line, end }) => end <= to && line.offset >= to - maxBytes);
    return { lines: found.map(({ line }) => line), start: found[0]?.line.offset ?? 0, next: to, size: this.size };
  }

  watch(wake: () => void): () => void {
    this.watchers.add(wake);
    return () => this.watchers.delete(wake);
  }
}
