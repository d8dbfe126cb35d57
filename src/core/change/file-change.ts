/** One path on both sides of a change; null on the side where it is not. */
export interface FileChange {
  /** As text; bytes of a name that are no text are written as `\xNN`. */
  readonly path: string;
  readonly before: FileSide | null;
  readonly after: FileSide | null;
}

export interface FileSide {
  /** `file` and `executable` differ by the mode alone; the content of a link is where it leads. */
  readonly kind: "file" | "executable" | "link" | "submodule";
  readonly bytes: number;
  /** Null for a submodule, for what is larger than was asked for, and for the largest of more than fits into memory. */
  readonly content: Uint8Array | null;
}
