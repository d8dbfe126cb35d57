export interface DiffStats {
  readonly files: readonly FileStat[];
  readonly insertions: number;
  readonly deletions: number;
}

export interface FileStat {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted";
  readonly insertions: number;
  readonly deletions: number;
  readonly binary: boolean;
}
