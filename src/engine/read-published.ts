import type { Outcome } from "../core/outcome.ts";
import type { Forge, FoundRequest } from "../ports/forge.ts";
import { outcomeOf, type StepContext } from "./steps/step.ts";

/** Where something was to be published, and what. */
export interface Place {
  readonly forge: Forge;
  readonly branch: string;
  readonly commit: string;
  /** The names of what was lent for it. */
  readonly granted: readonly string[];
}

/** What the world has, asked of the remote and of the forge, whatever an agent said about it. */
export interface There {
  readonly head: string | null;
  readonly request: FoundRequest | null;
  /** Commits of this task that an earlier run was to push there: judged too, and to be replaced. */
  readonly earlier: readonly string[];
}

export async function lookThere(context: StepContext, { forge, branch, commit }: Place): Promise<There> {
  const { ports, task, project } = context;
  const credentials = forge.credentialsFor(project.remote);
  const [request, found, runs] = await Promise.all([
    forge.find({ branch, commit }),
    ports.workspaces.readBranch({ project: project.name, remote: project.remote, branch, credentials }),
    ports.store.listRuns({ task: task.id, status: null, project: null, limit: 1000 }),
  ]);
  const earlier = runs.filter(({ role }) => role === "publish").flatMap(({ payload }) => commitIn(payload));
  // People were faster: what was merged or closed was this very commit, and its branch may be gone.
  const head = request !== null && request.state !== "open" ? commit : found;
  return { head, request, earlier };
}

function commitIn(payload: Readonly<Record<string, unknown>> | null): readonly string[] {
  const commit = payload?.["commit"];
  return typeof commit === "string" ? [commit] : [];
}

/** The same commit is the same files, the same parent and the same message: anything else was judged by nobody. */
export function isForeign({ head, earlier }: There, { commit }: Place): boolean {
  return head !== null && head !== commit && !earlier.includes(head);
}

export function tellForeign({ head, request }: There, { forge, branch, commit, granted }: Place): Outcome {
  const names = granted.map((name) => `$${name}`).join(", ");
  const summary = [
    `"${branch}" at ${forge.place} is NOT what was judged: it is ${head ?? "nothing"}, judged was ${commit}.`,
    `Look at it${request === null ? "" : `, close ${request.url}`}, delete the branch, and replace the token in ${names}:`,
    "whoever pushed that may have used it for more.",
  ].join(" ");
  return outcomeOf("policy_failed", summary, { branch, commit, found: head, url: request?.url ?? null, granted });
}

/** Null where everything is as the agent says. */
export function judgeReport({ head, request }: There, place: Place, url: string): Outcome | null {
  const { forge, branch, commit, granted } = place;
  const failed = (why: string): Outcome =>
    outcomeOf("agent_error", `the agent reported ${url}, but ${why}`, { branch, commit, granted, claimed: url });
  if (head !== commit) return failed(`${forge.place} does not have the commit in "${branch}": nothing is published`);
  if (request === null) return failed(`${forge.place} has no open change request for "${branch}", which is pushed`);
  return withoutSlash(request.url) === withoutSlash(url) ? null : failed(`the one of "${branch}" is ${request.url}`);
}

function withoutSlash(url: string): string {
  return url.trim().replace(/\/+$/, "");
}
