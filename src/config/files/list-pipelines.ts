import { join } from "node:path";
import { ConfigError, type Issue } from "../../core/text/errors.ts";
import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import { parsePipelineText } from "../pipeline/parse-pipeline-text.ts";
import { PIPELINES } from "./read-project.ts";
import { readText } from "./read-text.ts";

export interface FoundPipelines {
  readonly pipelines: readonly Pipeline[];
  /** Why the others cannot be used. */
  readonly problems: readonly Issue[];
}

interface OwnPipelines {
  /** The folder of the project. */
  readonly dir: string;
  readonly names: readonly string[];
  /** Throws a ConfigError if the pipeline cannot be used. */
  readonly read: (name: string) => Promise<Pipeline>;
}

export async function listOwnPipelines({ dir, names, read }: OwnPipelines): Promise<FoundPipelines> {
  const found = await Promise.all(names.map((name) => readOne(dir, name, read)));
  return {
    pipelines: found.flatMap(({ pipelines }) => pipelines),
    problems: found.flatMap(({ problems }) => problems),
  };
}

async function readOne(dir: string, name: string, read: OwnPipelines["read"]): Promise<FoundPipelines> {
  try {
    return { pipelines: [await read(name)], problems: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { pipelines: [], problems: [...error.issues, ...(await findMistakes(dir, name, error.issues))] };
  }
}

/** A person who has to accept a file should also see what is wrong with it. */
async function findMistakes(dir: string, name: string, known: readonly Issue[]): Promise<readonly Issue[]> {
  const file = `${PIPELINES}/${name}.yaml`;
  const text = await readText(join(dir, file), dir).catch(() => null);
  if (text === null) return [];
  const result = parsePipelineText({ name, text, file });
  if (result.ok) return [];
  return result.issues.filter(
    ({ message, line }) => !known.some((each) => each.message === message && each.line === line),
  );
}
