import { createHash } from "node:crypto";
import { checkPipeline, type PipelineResult } from "./parse-pipeline.ts";
import { parseYaml } from "../parse/parse-yaml.ts";

const MAX_BYTES = 256 * 1024;

export interface PipelineText {
  /** The requested name: the file name without `.yaml`. */
  readonly name: string;
  readonly text: string;
  readonly file: string;
}

/** Parses and validates the text of a pipeline file. Returns all problems at once. */
export function parsePipelineText({ name, text, file }: PipelineText): PipelineResult {
  const reject = (message: string): PipelineResult => ({
    ok: false,
    issues: [{ file, line: 1, column: 1, key: "", message }],
  });
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES) return reject(`A pipeline has at most ${MAX_BYTES} bytes, this one has ${bytes}.`);
  if (text.trim() === "") return reject("The file is empty. A pipeline needs name, start and states.");
  const { value, issues, place } = parseYaml(text, file);
  if (issues.length > 0) return { ok: false, issues };
  const hash = createHash("sha256").update(text).digest("hex");
  return checkPipeline({ name, file, hash, value }, (path) => place(path, "key"));
}
