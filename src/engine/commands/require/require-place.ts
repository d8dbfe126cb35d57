import { canWorkInPlace, isPlainDirectory } from "../../../core/task/in-place.ts";
import type { Pipeline } from "../../../core/pipeline/pipeline.ts";
import type { TaskDraft } from "../../../core/task/task-draft.ts";
import { UserError } from "../../../core/text/errors.ts";
import type { Project } from "../../../ports/store.ts";

/** Whether the task works directly in the project's directory. Throws if the project or the pipeline does not allow that. */
export function requirePlace(
  project: Project,
  pipeline: Pipeline,
  { inPlace = false }: Pick<TaskDraft, "inPlace">,
): boolean {
  const isPlain = isPlainDirectory(project);
  if (!isPlain && !inPlace) return false;
  if (!canWorkInPlace(pipeline)) throw refusePipeline(project, pipeline, isPlain);
  if (project.path !== null) return true;
  throw new UserError(
    "invalid",
    `Project "${project.name}" has no directory on this machine to work in.`,
    "Submit the task without --in-place, or run it in a clone of the project.",
  );
}

function refusePipeline({ name, path }: Project, pipeline: Pipeline, isPlain: boolean): UserError {
  const what = `The pipeline "${pipeline.name}" needs a git repository and a workspace of its own`;
  return isPlain
    ? new UserError(
        "invalid",
        `${what}, but ${path ?? name} is not a git repository.`,
        `Use the pipeline "staged", which works directly in the directory. To use "${pipeline.name}", run \`nightshift projects --remove ${name}\`, then \`git init\`, make a first commit and run \`nightshift init\`.`,
      )
    : new UserError("invalid", `${what}, so it cannot work in place.`, "Submit the task without --in-place.");
}
