import type { ReviewedRequest } from "../../../core/task/task.ts";
import { ForgeError, UserError } from "../../../core/text/errors.ts";
import type { ChangeRequestLook, Forge } from "../../../ports/forge.ts";
import type { FetchedRequest } from "../../../ports/workspace/request-head.ts";
import { StepEnd, type StepContext } from "../step-context.ts";
import { sourceOf } from "./source-of.ts";

/** The forge of a task that reviews a change request. */
export function requireForge({ ports, project, settings }: StepContext): Forge {
  const forge = ports.forges.open(project, settings);
  if (forge !== null) return forge;
  throw new UserError("conflict", `"${project.name}" has no forge any more.`, "Set `forge` in nightshift.yaml.");
}

/** Reads the change request, and ends the step if there is nothing to review any more. */
export async function readOpenRequest(forge: Forge, { number, url }: ReviewedRequest): Promise<ChangeRequestLook> {
  const look = await forge.readState(number).catch((error: unknown) => {
    if (!(error instanceof ForgeError) || error.trouble !== "missing") throw error;
    throw new StepEnd("request_ended", `${url} does not exist any more, or the token cannot read it.`);
  });
  if (look.state === "open") return look;
  throw new StepEnd("request_ended", `${url} was ${look.state} meanwhile, so nothing was posted.`);
}

/** Fetches the newest commit of the change request. It is untrusted: only the sandbox ever runs its files. */
export async function fetchRequest(context: StepContext, request: ReviewedRequest): Promise<FetchedRequest> {
  const forge = requireForge(context);
  const { target } = await readOpenRequest(forge, request);
  const ref = forge.headRef(request.number);
  const fetched = await context.ports.workspaces.fetchRequest({
    ...sourceOf(context),
    task: context.task.id,
    ref,
    target,
  });
  if (fetched.commit === fetched.mergeBase)
    throw new StepEnd("request_ended", `${request.url} has no changes compared with ${target}.`);
  return fetched;
}

const MAX_DIFF_BYTES = 20_000_000;

/** Keeps the change for people (`nightshift diff`). Best effort. */
export async function keepDiff({ ports, task, run, project }: StepContext, fetched: FetchedRequest): Promise<void> {
  const { mergeBase: from, commit: to } = fetched;
  try {
    const range = { project: project.name, task: task.id, from, to, maxBytes: MAX_DIFF_BYTES };
    const { patch, cut } = await ports.workspaces.diff(range);
    const kept = ports.secrets.redact(patch);
    await ports.runFiles.keepDiff(run.id, cut ? `${kept}\n[cut after ${MAX_DIFF_BYTES} bytes]\n` : kept);
  } catch (error) {
    ports.log.warn("the diff of a change request could not be kept", { run: run.id, error: String(error) });
  }
}
