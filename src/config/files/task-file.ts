import { z } from "zod";
import { splitFrontMatter } from "../../core/prompt/prompt.ts";
import { MAX_DEPENDENCIES } from "../../core/task/dependencies.ts";
import { COMPLEXITIES, PRIORITIES, SIZES } from "../../core/task/task.ts";
import { ConfigError, type Issue } from "../../core/text/errors.ts";
import { parseWritten } from "../parse/parse-config.ts";

const name = z.string().min(1).max(200);
const taskId = z
  .string()
  .max(40)
  .regex(/^[0-9a-z_]{1,40}$/, "must be the id of a task");

/** Allowed keys in the front matter of a task file. They mean the same as the options of `submit`. */
const frontMatter = z.strictObject({
  pipeline: name.optional(),
  priority: z.enum(PRIORITIES).optional(),
  size: z.enum(SIZES).optional(),
  complexity: z.enum(COMPLEXITIES).optional(),
  tags: z.array(z.string().min(1).max(40)).max(20).optional(),
  after: z.union([taskId, z.array(taskId).max(MAX_DEPENDENCIES)]).optional(),
});

/** A task as a person wrote it to a file. */
export interface TaskFile extends Omit<z.infer<typeof frontMatter>, "after"> {
  readonly after?: readonly string[];
  /** The first heading. Null if there is none. */
  readonly title: string | null;
  readonly description: string;
}

const MAX_TASK_FILE = 1_000_000;
const MAX_META = 10_000;

/** Throws ConfigError with all problems. */
export function parseTaskFile(text: string, file: string): TaskFile {
  const { meta, body } = splitFrontMatter(text);
  const problems = findProblems(meta, body);
  if (problems.length > 0)
    throw new ConfigError(problems.map((message): Issue => ({ file, line: 1, column: 1, key: "", message })));
  // The empty line replaces the first `---`, so that line numbers match the file.
  const { after, ...front } = parseWritten(frontMatter, `\n${meta}`, file).written;
  return {
    ...front,
    ...(after !== undefined && { after: typeof after === "string" ? [after] : after }),
    title: /^#{1,6}[ \t]+(.+)$/m.exec(body)?.[1]?.replace(/[ \t]+#*[ \t]*$/, "") ?? null,
    description: body.trim(),
  };
}

function findProblems(meta: string, body: string): readonly string[] {
  return [
    ...(meta === "" && /^---[ \t]*(?:\n|$)/.test(body)
      ? ["starts with `---`, but no second line `---` ends the front matter; add one, or remove the first line"]
      : []),
    ...(meta.length > MAX_META ? [`its front matter has ${meta.length} characters; allowed: ${MAX_META}`] : []),
    ...(body.length > MAX_TASK_FILE ? [`its text has ${body.length} characters; allowed: ${MAX_TASK_FILE}`] : []),
    ...(body.trim() === "" ? ["has no text; describe the task below the front matter"] : []),
  ];
}
