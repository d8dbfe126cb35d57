import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import type { Edge } from "../../core/pipeline/pipeline-graph.ts";
import type { Path } from "./read-fields.ts";

/** A pipeline as far as it could be read. */
export interface Draft {
  readonly pipeline: Pipeline;
  readonly edges: readonly Edge[];
  /** States that could not be read completely. Rules do not report what is missing in them. */
  readonly broken: ReadonlySet<string>;
}

export interface Finding {
  readonly path: Path;
  readonly message: string;
}

export type PipelineRule = (draft: Draft) => readonly Finding[];
