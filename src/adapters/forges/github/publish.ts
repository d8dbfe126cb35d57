import { ForgeError } from "../../../core/text/errors.ts";
import type { ChangeRequest, ChangeRequestDraft } from "../../../ports/forge.ts";
import { ForgeResponseError } from "../shared/responses.ts";
import { repoPath } from "./client.ts";
import type { RepositoryName } from "./client.ts";
import type { ApiRequest, ForgeClient } from "../shared/client.ts";
import { assigneesResponse, fullPull, pull } from "./schemas.ts";
import type { Pull } from "./schemas.ts";
import { AlreadyOpenError } from "../shared/publish.ts";
import type { PublishingForge, Warn } from "../shared/publish.ts";
import { distinct, fitBody, fitTitle } from "../shared/texts.ts";

export function githubPublishing(client: ForgeClient, repo: RepositoryName): PublishingForge<Pull> {
  return {
    async findAll(branch) {
      const found = await client.list(pull.array(), {
        doing: "look for pull requests",
        path: repoPath(repo, "pulls"),
        query: { state: "all", head: `${repo.owner}:${branch}` },
      });
      return found.filter((each) => isFromRepository(each, repo) && each.head.ref === branch);
    },
    describe: (found) => ({
      ...toChangeRequest(found),
      state: found.merged_at == null ? found.state : "merged",
      headCommit: found.head.sha,
    }),
    create: (draft, warn) => createPull(client, repo, draft, warn),
    async update(found, { title, body, target }) {
      const base = found.base.ref === target ? {} : { base: target };
      const text = { title: fitTitle(title), body: fitBody(body) };
      await client.send({
        doing: "update the pull request",
        method: "PATCH",
        path: repoPath(repo, "pulls", found.number),
        body: { ...text, ...base },
      });
    },
    applyLabelsAndReviewers: ({ number }, draft, warn) => {
      const add: AddToPull = (list, what, request) => ({
        ...request,
        method: "POST",
        path: repoPath(repo, list, number, what),
      });
      return applyLabelsAndReviewers(client, add, draft, warn);
    },
    async readBack(number) {
      const path = repoPath(repo, "pulls", number);
      const read = await client.get(fullPull, { doing: "read the pull request back", path });
      return toChangeRequest(read);
    },
  };
}

export function toChangeRequest({ number, html_url: url, title, head }: Pull): ChangeRequest {
  return { number, url, title, branch: head.ref };
}

/** A fork may have a branch of the same name. */
export function isFromRepository({ head }: Pull, { owner, repo }: RepositoryName): boolean {
  return head.repo?.full_name.toLowerCase() === `${owner}/${repo}`.toLowerCase();
}

async function createPull(
  client: ForgeClient,
  repo: RepositoryName,
  draft: ChangeRequestDraft,
  warn: Warn,
): Promise<Pull> {
  const { branch: head, target: base } = draft;
  const open = (asDraft: boolean) =>
    client.get(pull, {
      doing: "open the pull request",
      method: "POST",
      path: repoPath(repo, "pulls"),
      body: { title: fitTitle(draft.title), body: fitBody(draft.body), head, base, draft: asDraft },
      repeatable: false,
    });
  try {
    return await open(draft.draft);
  } catch (error) {
    if (!(error instanceof ForgeResponseError) || error.status !== 422) throw error;
    if (/pull request already exists/i.test(error.detail)) throw new AlreadyOpenError();
    if (draft.draft && /draft pull requests are not supported/i.test(error.detail)) {
      warn("This repository does not support draft pull requests, so it was opened as a regular one.");
      return await open(false);
    }
    throw explainCreateError(error, draft);
  }
}

function explainCreateError(error: ForgeResponseError, { branch, target }: ChangeRequestDraft): ForgeError {
  if (/\bhead\b.*\binvalid\b/i.test(error.detail)) {
    return new ForgeError("refused", `GitHub does not have the branch "${branch}", so no pull request was opened.`, {
      hint: "Push it to the repository named by `forge.project` first.",
    });
  }
  if (/\bbase\b.*\binvalid\b/i.test(error.detail)) {
    return new ForgeError(
      "refused",
      `GitHub does not have the target branch "${target}", so no pull request was opened.`,
      {
        hint: "Set `default_branch` to a branch that exists.",
      },
    );
  }
  return error;
}

type AddToPull = (list: "issues" | "pulls", what: string, request: Pick<ApiRequest, "doing" | "body">) => ApiRequest;

async function applyLabelsAndReviewers(
  client: ForgeClient,
  add: AddToPull,
  { labels: allLabels, reviewer, assignee }: ChangeRequestDraft,
  warn: Warn,
): Promise<void> {
  const labels = distinct(allLabels);
  // GitHub creates labels that the repository does not have yet.
  if (labels.length > 0)
    await orWarn(`The labels ${labels.join(", ")} were not added.`, warn, () =>
      client.send(add("issues", "labels", { doing: "add labels", body: { labels } })),
    );
  if (reviewer !== null) {
    const [owner, ...team] = reviewer.split("/");
    const body = team.length === 0 ? { reviewers: [owner] } : { team_reviewers: [team.join("/")] };
    await orWarn(`${reviewer} was not added as reviewer.`, warn, () =>
      client.send(add("pulls", "requested_reviewers", { doing: "request a review", body })),
    );
  }
  if (assignee !== null)
    await orWarn(`${assignee} was not assigned.`, warn, async () => {
      const request = add("issues", "assignees", { doing: "set the assignee", body: { assignees: [assignee] } });
      const { assignees } = await client.get(assigneesResponse, request);
      // GitHub silently ignores people who cannot be assigned.
      const isAssigned = assignees?.some(({ login }) => login.toLowerCase() === assignee.toLowerCase()) ?? false;
      if (!isAssigned) warn(`${assignee} was not assigned: the repository has no collaborator with that name.`);
    });
}

/** Turns a failure into a warning, so that the other requests still run. A refused token is an error, since all would fail. */
async function orWarn(what: string, warn: Warn, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    if (!(error instanceof ForgeResponseError)) return warn(`${what} ${error.message}`);
    if (error.status === 401) throw error;
    warn(`${what} GitHub's response: ${error.detail || `status ${error.status}`}`);
  }
}
