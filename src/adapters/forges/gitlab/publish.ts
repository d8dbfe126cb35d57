import type { ChangeRequest, ChangeRequestDraft, Published } from "../../../ports/forge.ts";
import { AnsweredError } from "../shared/answers.ts";
import type { GitlabClient, GitlabRequest } from "./client.ts";
import { fullMergeRequest, mergeRequest, person } from "./schemas.ts";
import type { MergeRequest } from "./schemas.ts";
import { AlreadyOpen } from "../shared/publish.ts";
import type { PublishingForge, Warn } from "../shared/publish.ts";
import { distinct, fitBody, fitTitle, withoutQuickActions } from "../shared/texts.ts";

export function gitlabPublishing(client: GitlabClient, id: number): PublishingForge<MergeRequest> {
  const all = `/projects/${id}/merge_requests`;
  return {
    async findAll(branch) {
      const found = await client.list(mergeRequest, {
        doing: "look for merge requests",
        path: all,
        query: { state: "all", source_branch: branch },
      });
      return found.filter((each) => each.source_project_id === id && each.source_branch === branch);
    },
    describe: (found) => ({ ...toChangeRequest(found), state: stateOf(found), headCommit: found.sha }),
    async create(draft, warn) {
      const labels = usableLabels(draft, warn);
      const request: GitlabRequest = {
        doing: "open the merge request",
        method: "POST",
        path: all,
        body: {
          source_branch: draft.branch,
          target_branch: draft.target,
          ...texts(draft, draft.draft),
          ...(labels.length === 0 ? {} : { labels: labels.join(",") }),
        },
      };
      try {
        return await client.get(mergeRequest, request);
      } catch (error) {
        throw isAlreadyOpen(error) ? new AlreadyOpen() : error;
      }
    },
    async update(found, draft) {
      await client.get(mergeRequest, {
        doing: "bring the merge request up to date",
        method: "PUT",
        path: `${all}/${found.iid}`,
        body: {
          // Whether it is still a draft is for people to say once it is open.
          ...texts(draft, found.draft ?? false),
          ...(found.target_branch === draft.target ? {} : { target_branch: draft.target }),
        },
      });
    },
    dress: (found, draft, warn) => dress(client, `${all}/${found.iid}`, { found, draft, warn }),
    async readBack(number) {
      const doing = "read the merge request back";
      return toChangeRequest(await client.get(fullMergeRequest, { doing, path: `${all}/${number}` }));
    },
  };
}

export function toChangeRequest({ iid, web_url: url, title, source_branch: branch }: MergeRequest): ChangeRequest {
  return { number: iid, url, title, branch };
}

/** `locked`: just being merged. */
export function stateOf({ state }: MergeRequest): Published["state"] {
  return state === "merged" || state === "closed" ? state : "open";
}

function texts({ title, body }: ChangeRequestDraft, isDraft: boolean): { title: string; description: string } {
  const plain = fitTitle(title).replace(/^(draft:|\[draft\]|\(draft\))\s*/i, "");
  return { title: isDraft ? `Draft: ${plain}` : plain, description: withoutQuickActions(fitBody(body)) };
}

/** 409 also stands for other conflicts, such as a branch that is to be merged into itself. */
function isAlreadyOpen(error: unknown): boolean {
  return error instanceof AnsweredError && error.status === 409 && /already exists/i.test(error.said);
}

/** A comma would make two of one. */
function usableLabels({ labels }: ChangeRequestDraft, warn: Warn): readonly string[] {
  return distinct(labels).filter((label) => {
    if (!label.includes(",")) return true;
    warn(`The label "${label}" was not added: GitLab takes no comma in a label.`);
    return false;
  });
}

interface Dressing {
  readonly found: MergeRequest;
  readonly draft: ChangeRequestDraft;
  readonly warn: Warn;
}

/** Adds to what people have set, in one request, and only what is missing. */
async function dress(client: GitlabClient, path: string, { found, draft, warn }: Dressing): Promise<void> {
  const missing = distinct(draft.labels).filter((label) => !label.includes(",") && !found.labels.includes(label));
  const [reviewer, assignee] = await Promise.all([
    findPerson(client, draft.reviewer, (who) =>
      warn(`${who} was not asked to review: GitLab knows nobody of that name.`),
    ),
    findPerson(client, draft.assignee, (who) => warn(`${who} was not assigned: GitLab knows nobody of that name.`)),
  ]);
  const wanted = {
    ...(missing.length === 0 ? {} : { add_labels: missing.join(",") }),
    ...together("reviewer_ids", found.reviewers, reviewer),
    ...together("assignee_ids", found.assignees, assignee),
  };
  if (Object.keys(wanted).length === 0) return;
  try {
    const doing = "set labels, reviewer and assignee";
    const now = await client.get(mergeRequest, { doing, method: "PUT", path, body: wanted });
    if (reviewer !== null && !holds(now.reviewers, reviewer))
      warn(`${draft.reviewer} was not asked to review: GitLab left them out, since they have no access or one is set.`);
    if (assignee !== null && !holds(now.assignees, assignee))
      warn(`${draft.assignee} was not assigned: GitLab left them out, since they have no access or one is set.`);
    const absent = missing.filter((label) => !now.labels.includes(label));
    if (absent.length > 0) warn(`GitLab did not add the labels ${absent.join(", ")}.`);
  } catch (error) {
    if (!(error instanceof AnsweredError) || ![400, 403, 404, 422].includes(error.status)) throw error;
    warn(`Labels, reviewer and assignee were not set. GitLab said: ${error.said || `status ${error.status}`}`);
  }
}

type People = MergeRequest["reviewers"];

function together(key: string, there: People, added: number | null): Record<string, number[]> {
  if (added === null || holds(there, added)) return {};
  return { [key]: [...(there ?? []).map(({ id }) => id), added] };
}

function holds(people: People, id: number): boolean {
  return people?.some((each) => each.id === id) ?? false;
}

async function findPerson(
  client: GitlabClient,
  username: string | null,
  onUnknown: (username: string) => void,
): Promise<number | null> {
  if (username === null) return null;
  const id = await lookUpPerson(client, username);
  if (id === null) onUnknown(username);
  return id;
}

export async function lookUpPerson(client: GitlabClient, username: string): Promise<number | null> {
  const query = { username: username.replace(/^@/, "") };
  const found = await client.get(person.array(), { doing: "look for a person", path: "/users", query });
  return found.find((each) => each.username.toLowerCase() === query.username.toLowerCase())?.id ?? null;
}
