import type { FileChange, FileSide } from "../../core/change/file-change.ts";
import type { Secret } from "../../policy/secrets/secret-forms.ts";
import type { SecretFinding } from "../../ports/secret-scan.ts";

/**
 * Input of the scan program for one scan: the number of bytes that follow, one line of JSON, then the contents of the files
 * one after the other.
 */
interface Header extends ProgramOrder {
  readonly files: readonly {
    readonly path: string;
    readonly before: SideHeader | null;
    readonly after: SideHeader | null;
  }[];
}

interface SideHeader extends Omit<FileSide, "content"> {
  /** Number of content bytes. Null if there is no content. */
  readonly length: number | null;
}

export interface ProgramOrder {
  readonly secrets: readonly Secret[];
  readonly path: string;
  readonly timeoutMs: number;
}

/** One line of output of the scan program. */
export interface ProgramAnswer {
  readonly findings?: readonly SecretFinding[];
  /** Index of a file that was scanned. */
  readonly done?: number;
  /** A message for the log. */
  readonly note?: string;
  readonly isEnd?: true;
}

const LENGTH_DIGITS = 12;

export function toFrames(changes: readonly FileChange[], order: ProgramOrder): readonly (string | Uint8Array)[] {
  const files = changes.map(({ path, before, after }) => ({ path, before: toHeader(before), after: toHeader(after) }));
  const header: Header = { ...order, files };
  const contents = changes.flatMap(({ before, after }) => [before?.content, after?.content]);
  const parts = [
    Buffer.from(`${JSON.stringify(header)}\n`),
    ...contents.filter((content) => content !== null && content !== undefined),
  ];
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  return [String(bytes).padStart(LENGTH_DIGITS, "0"), ...parts];
}

/** Reads the requests from a stream, each without its length prefix. */
export async function* readRequests(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  let isLength = true;
  let wanted = LENGTH_DIGITS;
  for await (const chunk of input) {
    chunks.push(chunk);
    size += chunk.length;
    while (size >= wanted) {
      const all = Buffer.concat(chunks);
      const part = all.subarray(0, wanted);
      chunks.splice(0, chunks.length, all.subarray(wanted));
      size -= wanted;
      wanted = isLength ? Number(part.toString("latin1")) : LENGTH_DIGITS;
      if (!isLength) yield part;
      isLength = !isLength;
    }
  }
}

export function fromFrames(input: Buffer): { readonly changes: readonly FileChange[]; readonly order: ProgramOrder } {
  const end = input.indexOf("\n");
  const { files, ...order } = JSON.parse(input.toString("utf8", 0, end)) as Header; // only toFrames writes this
  let at = end + 1;
  function take(side: SideHeader | null): FileSide | null {
    if (side === null) return null;
    const { length, ...rest } = side;
    if (length === null) return { ...rest, content: null };
    at += length;
    return { ...rest, content: input.subarray(at - length, at) };
  }
  return {
    order,
    changes: files.map(({ path, before, after }) => ({ path, before: take(before), after: take(after) })),
  };
}

function toHeader(side: FileSide | null): SideHeader | null {
  return side === null ? null : { kind: side.kind, bytes: side.bytes, length: side.content?.length ?? null };
}
