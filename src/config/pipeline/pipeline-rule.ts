import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import type { Edge } from "../../core/pipeline/pipeline-graph.ts";
import type { Path } from "./read-fields.ts";

/** A pipeline as far as it could be read. */
export interface Draft {
  readonly pipeline: Pipeline;
  readonly edges: readonly Edge[];
  /** States of which something could not be read: what they lack is not held against them. */
  readonly broken: ReadonlySet<string>;
}

export interface Finding {
  readonly path: Path;
  readonly message: string;
}

export type PipelineRule = (draft: Draft) => readonly Finding[];
