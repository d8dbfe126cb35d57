/** One path on both sides of a change. Null on a side where it does not exist. */
export interface FileChange {
  /** As text. Bytes that are not valid text are written as `\xNN`. */
  readonly path: string;
  readonly before: FileSide | null;
  readonly after: FileSide | null;
}

export interface FileSide {
  /** `file` and `executable` differ only in mode. The content of a link is its target. */
  readonly kind: "file" | "executable" | "link" | "submodule";
  readonly bytes: number;
  /** Null for submodules, for files above the requested size, and for the largest files if all together exceed memory. */
  readonly content: Uint8Array | null;
}
