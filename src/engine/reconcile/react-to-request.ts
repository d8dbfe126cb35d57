import { advance } from "../../core/pipeline/advance.ts";
import { describeCiFailures, describeForgeComments } from "../../core/forge/describe-feedback.ts";
import { findReaction, newComments, type Reaction, type ReactionParams } from "../../core/forge/find-reaction.ts";
import { newEvent, SYSTEM, type EventType } from "../../core/task/event.ts";
import type { Outcome } from "../../core/outcomes/outcome.ts";
import { DEFAULT_REACT, type Settings } from "../../core/settings/settings.ts";
import { shortHash } from "../../core/text/short-hash.ts";
import { NOTHING_SEEN, type PublishedBranch, type Task } from "../../core/task/task.ts";
import type { ChangeRequestState, Forge, ForgeComment } from "../../ports/forge.ts";
import type { Project } from "../../ports/store.ts";
import { advanceParams } from "../advance-params.ts";
import { pipelineOf } from "../pipeline-of.ts";
import type { EnginePorts } from "../ports.ts";
import { outcomeOf, redactOutcome } from "../run/step-context.ts";
import { transact } from "../transact.ts";
import type { CommentPauses } from "./comment-pauses.ts";

interface OpenRequestState {
  readonly project: Project;
  readonly forge: Forge;
  readonly task: string;
  readonly request: ChangeRequestState;
  readonly commentPauses: CommentPauses;
}

type FoundReaction = Reaction<ForgeComment>;

/**
 * Lets a task that waits for its merge react to what happened at the forge: failed CI, comments, a conflict, commits of people.
 * What it reacted to is stored in the same transaction, so nothing starts work twice.
 */
export async function reactToRequest(ports: EnginePorts, params: OpenRequestState): Promise<void> {
  const settings = await ports.projects.lastGood(params.project);
  const found = await lookForReaction(ports, params, settings);
  if (found === null) return;
  const outcome = redactOutcome(ports, await toOutcome(params, found));
  await transact(ports, params.task, null, async (task) => {
    const pipeline = await pipelineOf(ports, task);
    const { published } = await readBranch(ports, task, settings);
    const isExpected = task.waitingFor?.kind === "merge" && published?.head === found.published.head;
    // A pipeline without an edge for it leaves the decision to the person who merges.
    if (!isExpected || pipeline.states[task.state]?.on[outcome.name] === undefined)
      return { advance: { task, events: [], next: null } };
    const at = ports.clock.now();
    const { request } = params;
    const event = newEvent({
      at,
      task: task.id,
      type: EVENTS[found.reaction.kind],
      summary: outcome.summary,
      data: { number: request.number, url: request.url, commit: request.headCommit },
    });
    const seen: Task = { ...task, published: { ...found.published, seen: found.reaction.seen } };
    const advanced = advance(advanceParams(ports, { pipeline, settings, task: seen, outcome, actor: SYSTEM, at }));
    return { advance: advanced, events: [event] };
  });
}

const EVENTS: Readonly<Record<FoundReaction["kind"], EventType>> = {
  commits: "request.updated",
  comments: "request.commented",
  ci: "request.ci_failed",
  conflict: "request.conflict",
};

interface Found {
  readonly reaction: FoundReaction;
  readonly published: PublishedBranch;
}

async function lookForReaction(
  ports: EnginePorts,
  { forge, task: id, request, commentPauses }: OpenRequestState,
  settings: Settings,
): Promise<Found | null> {
  const task = await ports.store.tasks.getTask(id);
  if (task?.waitingFor?.kind !== "merge") return null;
  const { published, pushed } = await readBranch(ports, task, settings);
  if (published === null) return null;
  const react = settings.forge?.react ?? DEFAULT_REACT;
  const params: Omit<ReactionParams<ForgeComment>, "members"> = { published, pushed, request, react };
  const reaction = findReaction({ ...params, members: await findMembers(forge, newComments(params)) });
  if (reaction === null) return null;
  const isPausing =
    reaction.kind === "comments" &&
    !commentPauses.isOver(
      request.url,
      reaction.comments.map(({ id: comment }) => comment),
      react.quietMs,
      ports.clock.now(),
    );
  return isPausing ? null : { reaction, published };
}

async function findMembers(forge: Forge, comments: readonly ForgeComment[]): Promise<ReadonlySet<string>> {
  const members = new Set<string>();
  for (const author of new Set(comments.map((comment) => comment.author)))
    if (await forge.hasWriteAccess(author)) members.add(author);
  return members;
}

/** Tasks that an earlier version published have only the artifacts. */
async function readBranch(
  { store }: EnginePorts,
  task: Task,
  settings: Settings,
): Promise<{ readonly published: PublishedBranch | null; readonly pushed: readonly string[] }> {
  const artifacts = await store.tasks.listArtifacts(task.id);
  const pushed = artifacts.flatMap(({ type, data }) => (type === "commit" ? [String(data["commit"])] : []));
  const head = pushed.at(-1);
  const derived =
    head === undefined ? null : { head, base: settings.defaultBranch ?? "main", people: null, seen: NOTHING_SEEN };
  return { published: task.published ?? derived, pushed };
}

async function toOutcome({ forge, request }: OpenRequestState, { reaction }: Found): Promise<Outcome> {
  const { number, headCommit } = request;
  const commit = shortHash(headCommit);
  switch (reaction.kind) {
    case "commits":
      return outcomeOf("branch_updated", `people pushed ${commit} to the branch`, { commit: headCommit });
    case "comments": {
      const { comments } = reaction;
      const authors = [...new Set(comments.map(({ author }) => author))].join(", ");
      const count = comments.length === 1 ? "a comment" : `${comments.length} comments`;
      return outcomeOf("comments_received", `${count} by ${authors}`, { details: describeForgeComments(comments) });
    }
    case "ci": {
      const failures = await forge.readCiFailures(number);
      const names = failures.map(({ name }) => name).join(", ");
      const summary = `CI failed for ${commit}${names === "" ? "" : `: ${names}`}`;
      return outcomeOf("ci_failed", summary, { commit: headCommit, details: describeCiFailures(failures) });
    }
    case "conflict":
      return outcomeOf("conflict", `${commit} conflicts with the base branch`);
  }
}
