import { createHash } from "node:crypto";
import { checkPipeline, type PipelineResult } from "./parse-pipeline.ts";
import { parseYaml } from "../parse/parse-yaml.ts";

const MOST_BYTES = 256 * 1024;

export interface PipelineText {
  /** The name by which it was asked for: that of its file without `.yaml`. */
  readonly name: string;
  readonly text: string;
  readonly file: string;
}

/** From the text of a pipeline file to a pipeline that keeps every rule, or to everything that is wrong with it. */
export function parsePipelineText({ name, text, file }: PipelineText): PipelineResult {
  const refuse = (message: string): PipelineResult => ({
    ok: false,
    issues: [{ file, line: 1, column: 1, key: "", message }],
  });
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_BYTES) return refuse(`A pipeline has at most ${MOST_BYTES} bytes, this one has ${bytes}.`);
  if (text.trim() === "") return refuse("The file is empty. A pipeline has name, start and states.");
  const { value, issues, place } = parseYaml(text, file);
  if (issues.length > 0) return { ok: false, issues };
  const hash = createHash("sha256").update(text).digest("hex");
  return checkPipeline({ name, file, hash, value }, (path) => place(path, "key"));
}
