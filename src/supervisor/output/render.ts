import type { TranscriptLine } from "../../core/task/documents/transcript.ts";
import { createLineSplitter } from "./lines.ts";
import type { Line } from "./lines.ts";

export type Stream = "stdout" | "stderr";

/** Data for the file, made from the output of a command. */
export interface Piece {
  readonly data: string | Buffer;
  /** Number of bytes of output that it represents. */
  readonly bytes: number;
}

export interface Renderer {
  render(from: Stream, at: number, chunk: Buffer): readonly Piece[];
  /** Renders unfinished lines. */
  rest(at: number): readonly Piece[];
  /** Renders a message of the supervisor itself. */
  note(at: number, text: string): Piece;
}

const MAX_LINE = 1024 * 1024;

/** Renders one JSON object (`TranscriptLine`) per line. */
export function createTranscriptRenderer(command: string): Renderer {
  const splitters = { stdout: createLineSplitter(MAX_LINE), stderr: createLineSplitter(MAX_LINE) };

  function note(at: number, text: string): Piece {
    return { data: toJson({ at, from: "supervisor", command, text }), bytes: 0 };
  }

  function pieces(from: Stream, at: number, lines: readonly Line[]): readonly Piece[] {
    return lines.flatMap(({ text, isContinued }) => {
      const data = toJson({ at, from, command, text });
      if (!isContinued) return { data, bytes: Buffer.byteLength(text) + 1 };
      const mark = note(at, "The line above is longer than a megabyte and continues in the next line.");
      return [{ data, bytes: Buffer.byteLength(text) }, mark];
    });
  }

  return {
    render: (from, at, chunk) => pieces(from, at, splitters[from].push(chunk)),
    rest: (at) => [...pieces("stdout", at, splitters.stdout.rest()), ...pieces("stderr", at, splitters.stderr.rest())],
    note,
  };
}

/** Renders the bytes unchanged. */
export function createLogRenderer(): Renderer {
  return {
    render: (_from, _at, chunk) => [{ data: chunk, bytes: chunk.length }],
    rest: () => [],
    note: (_at, text) => ({ data: `\n[nightshift] ${text}\n`, bytes: 0 }),
  };
}

export function toJson(line: TranscriptLine): string {
  return `${JSON.stringify(line)}\n`;
}
