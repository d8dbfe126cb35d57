import { ForgeError } from "../../../core/text/errors.ts";
import type { ChangeRequest, ChangeRequestDraft } from "../../../ports/forge.ts";
import { AnsweredError } from "../shared/answers.ts";
import { repoPath } from "./client.ts";
import type { GithubClient, RepositoryName } from "./client.ts";
import { assigned, fullPull, pull } from "./schemas.ts";
import type { Pull } from "./schemas.ts";
import { AlreadyOpen } from "../shared/publish.ts";
import type { PublishingForge, Warn } from "../shared/publish.ts";
import { distinct, fitBody, fitTitle } from "../shared/texts.ts";

export function githubPublishing(client: GithubClient, at: RepositoryName): PublishingForge<Pull> {
  return {
    async findAll(branch) {
      const found = await client.list(pull.array(), {
        doing: "look for pull requests",
        path: repoPath(at, "pulls"),
        query: { state: "all", head: `${at.owner}:${branch}` },
      });
      return found.filter((each) => isOwn(each, at) && each.head.ref === branch);
    },
    describe: (found) => ({
      ...toChangeRequest(found),
      state: found.merged_at == null ? found.state : "merged",
      headCommit: found.head.sha,
    }),
    create: (draft, warn) => createPull(client, at, draft, warn),
    async update(found, { title, body, target }) {
      const base = found.base.ref === target ? {} : { base: target };
      const text = { title: fitTitle(title), body: fitBody(body) };
      await client.send({
        doing: "bring the pull request up to date",
        method: "PATCH",
        path: repoPath(at, "pulls", found.number),
        body: { ...text, ...base },
      });
    },
    async dress({ number }, draft, warn) {
      await addLabels(client, { ...at, number }, draft, warn);
      await askReviewer(client, { ...at, number }, draft, warn);
      await assign(client, { ...at, number }, draft, warn);
    },
    async readBack(number) {
      const path = repoPath(at, "pulls", number);
      const read = await client.get(fullPull, { doing: "read the pull request back", path });
      return toChangeRequest(read);
    },
  };
}

export function toChangeRequest({ number, html_url: url, title, head }: Pull): ChangeRequest {
  return { number, url, title, branch: head.ref };
}

/** A fork's branch of the same name is not ours. */
function isOwn({ head }: Pull, { owner, repo }: RepositoryName): boolean {
  return head.repo?.full_name.toLowerCase() === `${owner}/${repo}`.toLowerCase();
}

async function createPull(
  client: GithubClient,
  at: RepositoryName,
  draft: ChangeRequestDraft,
  warn: Warn,
): Promise<Pull> {
  const { branch: head, target: base } = draft;
  const open = (asDraft: boolean) =>
    client.get(pull, {
      doing: "open the pull request",
      method: "POST",
      path: repoPath(at, "pulls"),
      body: { title: fitTitle(draft.title), body: fitBody(draft.body), head, base, draft: asDraft },
      repeatable: false,
    });
  try {
    return await open(draft.draft);
  } catch (error) {
    if (!(error instanceof AnsweredError) || error.status !== 422) throw error;
    if (/pull request already exists/i.test(error.said)) throw new AlreadyOpen();
    if (draft.draft && /draft pull requests are not supported/i.test(error.said)) {
      warn("This repository has no draft pull requests, so it was opened as an ordinary one.");
      return await open(false);
    }
    throw explainCreation(error, draft);
  }
}

function explainCreation(error: AnsweredError, { branch, target }: ChangeRequestDraft): ForgeError {
  if (/\bhead\b.*\binvalid\b/i.test(error.said)) {
    return new ForgeError("refused", `GitHub does not have the branch "${branch}", so nothing was opened.`, {
      hint: "Push it first, to the repository that `forge.project` names.",
    });
  }
  if (/\bbase\b.*\binvalid\b/i.test(error.said)) {
    return new ForgeError("refused", `GitHub does not have the target branch "${target}", so nothing was opened.`, {
      hint: "Set `default_branch` to a branch that is there.",
    });
  }
  return error;
}

type PullAt = RepositoryName & { readonly number: number };

/** Those that the repository does not know yet, GitHub makes. */
async function addLabels(client: GithubClient, at: PullAt, draft: ChangeRequestDraft, warn: Warn): Promise<void> {
  const labels = distinct(draft.labels);
  if (labels.length === 0) return;
  await orWarn(`The labels ${labels.join(", ")} were not added.`, warn, () =>
    client.send({
      doing: "add labels",
      method: "POST",
      path: repoPath(at, "issues", at.number, "labels"),
      body: { labels },
    }),
  );
}

async function askReviewer(
  client: GithubClient,
  at: PullAt,
  { reviewer }: ChangeRequestDraft,
  warn: Warn,
): Promise<void> {
  if (reviewer === null) return;
  const team = reviewer.includes("/") ? reviewer.slice(reviewer.indexOf("/") + 1) : null;
  const asked = team === null ? { reviewers: [reviewer] } : { team_reviewers: [team] };
  await orWarn(`${reviewer} was not asked to review.`, warn, () =>
    client.send({
      doing: "ask for a review",
      method: "POST",
      path: repoPath(at, "pulls", at.number, "requested_reviewers"),
      body: asked,
    }),
  );
}

/** GitHub says nothing when it leaves somebody out; its answer tells who is in. */
async function assign(client: GithubClient, at: PullAt, { assignee }: ChangeRequestDraft, warn: Warn): Promise<void> {
  if (assignee === null) return;
  await orWarn(`${assignee} was not assigned.`, warn, async () => {
    const { assignees } = await client.get(assigned, {
      doing: "assign somebody",
      method: "POST",
      path: repoPath(at, "issues", at.number, "assignees"),
      body: { assignees: [assignee] },
    });
    const isIn = assignees?.some(({ login }) => login.toLowerCase() === assignee.toLowerCase()) ?? false;
    if (!isIn) warn(`${assignee} was not assigned: GitHub knows nobody of that name who works on this repository.`);
  });
}

/** One that fails must not keep the others from being tried; but with a token that is refused all would fail. */
async function orWarn(what: string, warn: Warn, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    if (!(error instanceof AnsweredError)) return warn(`${what} ${error.message}`);
    if (error.status === 401) throw error;
    warn(`${what} GitHub said: ${error.said || `status ${error.status}`}`);
  }
}
