import type { ChangeRequest, ChangeRequestDraft, Published } from "../../../ports/forge.ts";
import { ForgeResponseError } from "../shared/responses.ts";
import type { ApiRequest, ForgeClient } from "../shared/client.ts";
import { fullMergeRequest, mergeRequest, person } from "./schemas.ts";
import type { MergeRequest } from "./schemas.ts";
import { AlreadyOpenError } from "../shared/publish.ts";
import type { PublishingForge, Warn } from "../shared/publish.ts";
import { distinct, fitBody, fitTitle, escapeQuickActions } from "../shared/texts.ts";

export function gitlabPublishing(client: ForgeClient, id: number): PublishingForge<MergeRequest> {
  const basePath = `/projects/${id}/merge_requests`;
  return {
    async findAll(branch) {
      const found = await client.list(mergeRequest.array(), {
        doing: "look for merge requests",
        path: basePath,
        query: { state: "all", source_branch: branch },
      });
      return found.filter((each) => each.source_project_id === id && each.source_branch === branch);
    },
    describe: (found) => ({ ...toChangeRequest(found), state: stateOf(found), headCommit: found.sha }),
    async create(draft, warn) {
      const labels = usableLabels(draft, warn);
      const request: ApiRequest = {
        doing: "open the merge request",
        method: "POST",
        path: basePath,
        body: {
          source_branch: draft.branch,
          target_branch: draft.target,
          ...toTexts(draft, draft.draft),
          ...(labels.length === 0 ? {} : { labels: labels.join(",") }),
        },
        repeatable: false,
      };
      try {
        return await client.get(mergeRequest, request);
      } catch (error) {
        throw isAlreadyOpenResponse(error) ? new AlreadyOpenError() : error;
      }
    },
    async update(found, draft) {
      await client.get(mergeRequest, {
        doing: "update the merge request",
        method: "PUT",
        path: `${basePath}/${found.iid}`,
        body: {
          // Once it is open, people decide whether it is still a draft.
          ...toTexts(draft, found.draft ?? false),
          ...(found.target_branch === draft.target ? {} : { target_branch: draft.target }),
        },
      });
    },
    applyLabelsAndReviewers: (found, draft, warn) => dress(client, `${basePath}/${found.iid}`, { found, draft, warn }),
    async readBack(number) {
      const doing = "read the merge request back";
      return toChangeRequest(await client.get(fullMergeRequest, { doing, path: `${basePath}/${number}` }));
    },
  };
}

export function toChangeRequest({ iid, web_url: url, title, source_branch: branch }: MergeRequest): ChangeRequest {
  return { number: iid, url, title, branch };
}

/** `locked` means that GitLab is merging it. */
export function stateOf({ state }: MergeRequest): Published["state"] {
  return state === "merged" || state === "closed" ? state : "open";
}

function toTexts({ title, body }: ChangeRequestDraft, isDraft: boolean): { title: string; description: string } {
  const plain = fitTitle(title).replace(/^(draft:|\[draft\]|\(draft\))\s*/i, "");
  return { title: isDraft ? `Draft: ${plain}` : plain, description: escapeQuickActions(fitBody(body)) };
}

/** GitLab also uses 409 for other conflicts, such as merging a branch into itself. */
function isAlreadyOpenResponse(error: unknown): boolean {
  return error instanceof ForgeResponseError && error.status === 409 && /already exists/i.test(error.detail);
}

/** GitLab's API separates labels by commas. */
function usableLabels({ labels }: ChangeRequestDraft, warn: Warn): readonly string[] {
  return distinct(labels).filter((label) => {
    if (!label.includes(",")) return true;
    warn(`The label "${label}" was not added: GitLab does not allow commas in labels.`);
    return false;
  });
}

interface ApplyParams {
  readonly found: MergeRequest;
  readonly draft: ChangeRequestDraft;
  readonly warn: Warn;
}

/** Adds what is missing in one request, and keeps what people have set. */
async function dress(client: ForgeClient, path: string, { found, draft, warn }: ApplyParams): Promise<void> {
  const missing = distinct(draft.labels).filter((label) => !label.includes(",") && !found.labels.includes(label));
  const [reviewer, assignee] = await Promise.all([
    findPersonOrWarn(client, draft.reviewer, (name) =>
      warn(`${name} was not added as reviewer: GitLab has no user with that name.`),
    ),
    findPersonOrWarn(client, draft.assignee, (name) =>
      warn(`${name} was not assigned: GitLab has no user with that name.`),
    ),
  ]);
  const body = {
    ...(missing.length === 0 ? {} : { add_labels: missing.join(",") }),
    ...addPerson("reviewer_ids", found.reviewers, reviewer),
    ...addPerson("assignee_ids", found.assignees, assignee),
  };
  if (Object.keys(body).length === 0) return;
  try {
    const doing = "set labels, reviewer and assignee";
    const updated = await client.get(mergeRequest, { doing, method: "PUT", path, body });
    if (reviewer !== null && !includesPerson(updated.reviewers, reviewer))
      warn(
        `${draft.reviewer} was not added as reviewer: GitLab ignored them. They have no access, or there already is a reviewer.`,
      );
    if (assignee !== null && !includesPerson(updated.assignees, assignee))
      warn(
        `${draft.assignee} was not assigned: GitLab ignored them. They have no access, or there already is an assignee.`,
      );
    const ignored = missing.filter((label) => !updated.labels.includes(label));
    if (ignored.length > 0) warn(`GitLab did not add the labels ${ignored.join(", ")}.`);
  } catch (error) {
    if (!(error instanceof ForgeResponseError) || ![400, 403, 404, 422].includes(error.status)) throw error;
    warn(`Labels, reviewer and assignee were not set. GitLab's response: ${error.detail || `status ${error.status}`}`);
  }
}

type People = MergeRequest["reviewers"];

function addPerson(key: string, current: People, added: number | null): Record<string, number[]> {
  if (added === null || includesPerson(current, added)) return {};
  return { [key]: [...(current ?? []).map(({ id }) => id), added] };
}

function includesPerson(people: People, id: number): boolean {
  return people?.some((each) => each.id === id) ?? false;
}

async function findPersonOrWarn(
  client: ForgeClient,
  username: string | null,
  onUnknown: (username: string) => void,
): Promise<number | null> {
  if (username === null) return null;
  const id = await findPersonId(client, username);
  if (id === null) onUnknown(username);
  return id;
}

export async function findPersonId(client: ForgeClient, username: string): Promise<number | null> {
  const query = { username: username.replace(/^@/, "") };
  const found = await client.get(person.array(), { doing: "look for a person", path: "/users", query });
  return found.find((each) => each.username.toLowerCase() === query.username.toLowerCase())?.id ?? null;
}
