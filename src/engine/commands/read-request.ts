import { postsReview } from "../../core/pipeline/pipeline-graph.ts";
import type { Pipeline } from "../../core/pipeline/pipeline.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { hasEnded, type ReviewedRequest, type Task } from "../../core/task/task.ts";
import type { TaskDraft } from "../../core/task/task-draft.ts";
import { ForgeError, UserError } from "../../core/text/errors.ts";
import { terminalLine } from "../../core/text/terminal-text.ts";
import { withoutCredentials } from "../../core/text/without-credentials.ts";
import type { ChangeRequestState, Forge } from "../../ports/forge.ts";
import type { Project } from "../../ports/store.ts";
import type { EnginePorts } from "../ports.ts";

const MAX_URL = 300;
const EXAMPLES =
  "Copy it from the forge, such as https://github.com/acme/shop/pull/12 or https://gitlab.example.com/team/shop/-/merge_requests/12.";

export interface LocatedDraft {
  readonly draft: TaskDraft;
  /** Null if the task does not review a change request. */
  readonly number: number | null;
}

/** Finds the project that the change request of a draft belongs to, and the number of the change request. */
export async function findProjectOfRequest(ports: EnginePorts, draft: TaskDraft): Promise<LocatedDraft> {
  const url = draft.url ?? null;
  if (url === null) return { draft, number: null };
  const shown = terminalLine(withoutCredentials(url), MAX_URL);
  if (!/^https?:\/\/[^/]/i.test(url))
    throw new UserError("invalid", `"${shown}" is not the address of a change request.`, EXAMPLES);
  const forges = await openForges(ports, draft.project);
  const found = forges.flatMap(({ project, forge }) => {
    const number = forge.findNumber(url);
    return number === null ? [] : [{ project: project.name, number }];
  });
  const [first, ...others] = found;
  if (first === undefined) throw explainUnknown(shown, forges, draft.project);
  if (others.length > 0)
    throw new UserError(
      "conflict",
      `${shown} belongs to the projects ${found.map(({ project }) => project).join(" and ")}.`,
      "Name one of them with --project.",
    );
  return { draft: { ...draft, project: first.project }, number: first.number };
}

interface OpenForge {
  readonly project: Project;
  readonly forge: Forge;
}

/** The forges of all projects, or of the named one. A project whose settings or forge cannot be used has none. */
async function openForges(ports: EnginePorts, name: string): Promise<readonly OpenForge[]> {
  const projects = (await ports.store.projects.listProjects()).filter((each) => name === "" || each.name === name);
  const opened = await Promise.all(
    projects.map(async (project) => {
      try {
        return { project, forge: ports.forges.open(project, await ports.projects.lastGood(project)) };
      } catch {
        return { project, forge: null };
      }
    }),
  );
  return opened.flatMap(({ project, forge }) => (forge === null ? [] : [{ project, forge }]));
}

function explainUnknown(url: string, forges: readonly OpenForge[], name: string): UserError {
  const known = forges.map(({ project, forge }) => `${project.name} (${forge.repository})`).join(", ");
  const whose = name === "" ? "a registered project" : `the project "${name}"`;
  const hint =
    known === ""
      ? "No such project has a usable forge: set `forge` in its nightshift.yaml. `nightshift doctor` checks it."
      : `Projects with a forge: ${known}. Run "nightshift init" in a checkout of another repository to register it.`;
  return new UserError("not_found", `${url} is not a change request of ${whose}.`, hint);
}

interface RequestParams {
  readonly project: Project;
  readonly settings: Settings;
  readonly pipeline: Pipeline;
  readonly number: number | null;
}

interface ReadDraft {
  readonly draft: TaskDraft;
  readonly request: ReviewedRequest | null;
  readonly related: string | null;
}

/** Fills in the title and the description of a draft from the change request to review. Its author may be a stranger. */
export async function readRequestIntoDraft(
  ports: EnginePorts,
  draft: TaskDraft,
  { project, settings, pipeline, number }: RequestParams,
): Promise<ReadDraft> {
  requireMatchingPipeline(pipeline, number);
  const forge = number === null ? null : ports.forges.open(project, settings);
  if (number === null || forge === null) return { draft, request: null, related: null };
  const found = await readRequest(forge, number);
  const owner = await findOwner(ports, project, found.url);
  if (owner !== null && !hasEnded(owner))
    throw new UserError(
      "conflict",
      `${found.url} was opened by ${owner.id}, which is still ${owner.status} in "${owner.state}" and follows it by itself.`,
      `Run "nightshift show ${owner.id}" to see its reviews.`,
    );
  return {
    draft: { ...draft, title: draft.title ?? `Review: ${found.title}`, description: describe(found, draft) },
    request: { number, url: found.url, author: found.author, base: found.target },
    related: owner?.id ?? null,
  };
}

function requireMatchingPipeline(pipeline: Pipeline, number: number | null): void {
  if (postsReview(pipeline) === (number !== null)) return;
  if (number === null)
    throw new UserError(
      "invalid",
      `The pipeline "${pipeline.name}" reviews a change request, and none is given.`,
      "Use `nightshift review <url>`, or `url` in the API.",
    );
  throw new UserError(
    "invalid",
    `The pipeline "${pipeline.name}" cannot review a change request.`,
    'Use the pipeline "review", or one of your own with a step `post: review`.',
  );
}

async function readRequest(forge: Forge, number: number): Promise<ChangeRequestState> {
  const found = await forge.read(number).catch((error: unknown) => {
    if (!(error instanceof ForgeError) || error.trouble !== "missing") throw error;
    throw new UserError(
      "not_found",
      `${forge.repository} has no change request ${number}, or the token cannot read it.`,
      `${error.message} Check the number in the address.`,
    );
  });
  if (found.state === "open") return found;
  throw new UserError(
    "conflict",
    `${found.url} is ${found.state}, so there is nothing to review.`,
    "Only an open change request can be reviewed. Reopen it first, if it should be.",
  );
}

const MAX_TASKS = 1_000;

/** The task that opened the change request, if it is one of the newest tasks of the project. */
async function findOwner({ store }: EnginePorts, project: Project, url: string): Promise<Task | null> {
  const query = { status: null, state: null, project: project.name, cursor: null, limit: MAX_TASKS };
  const { rows } = await store.tasks.listTasks(query);
  const requests = await store.tasks.listChangeRequests(rows.map(({ id }) => id));
  return rows.find(({ id }) => requests.get(id)?.url === url) ?? null;
}

const MAX_BODY = 20_000;

function cut(text: string): string {
  return text.length <= MAX_BODY
    ? text
    : `${text.slice(0, MAX_BODY)}… (${text.length} characters; the rest is left out)`;
}

function describe({ number, author, target, title, body }: ChangeRequestState, draft: TaskDraft): string {
  return [
    `Review change request ${number}, which ${author} wrote, before it is merged into ${target}. Its title and description are the author's claims about the change.`,
    ...(draft.description.trim() === "" ? [] : [`What the reviewer should look at: ${draft.description.trim()}`]),
    `Title: ${title}`,
    `Description:\n${body.trim() === "" ? "(none)" : cut(body)}`,
  ].join("\n\n");
}
