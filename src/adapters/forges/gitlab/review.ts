import { reviewMark, withListedComments, type LineComment, type ReviewDraft } from "../../../core/forge/review-text.ts";
import type { PostedReview } from "../../../ports/forge.ts";
import type { ForgeClient } from "../shared/client.ts";
import { ForgeResponseError } from "../shared/responses.ts";
import { escapeQuickActions, fitBody } from "../shared/texts.ts";
import { diffRefs, discussion, draftNote } from "./schemas.ts";

/**
 * GitLab has no reviews. Draft notes that are published together come close: they cause one notification. A crash in between
 * leaves drafts, which the next call completes. Publishing also publishes drafts that the token's owner wrote by hand, so if
 * there are any, everything is posted as one note.
 */
export async function postMergeRequestReview(
  client: ForgeClient,
  id: number,
  number: number,
  draft: ReviewDraft,
): Promise<PostedReview> {
  const path = `/projects/${id}/merge_requests/${number}`;
  const discussions = await client.list(discussion.array(), { doing: "read comments", path: `${path}/discussions` });
  const notes = discussions.flatMap((each) => each.notes.map(({ body }) => body));
  if (notes.some((body) => isPart(draft, body))) return { isNew: false };
  const drafts = (await client.list(draftNote.array(), { doing: "read draft notes", path: `${path}/draft_notes` })).map(
    ({ note }) => note,
  );
  const position = await findPosition(client, path, draft);
  if (draft.comments.length === 0 || position === null || drafts.some((note) => !isPart(draft, note)))
    await postNote(client, path, draft);
  else await postDrafts(client, path, { draft, drafts, position });
  return { isNew: true };
}

/** The mark of a part starts like the mark of the review. */
function isPart({ key }: ReviewDraft, body: string): boolean {
  return body.startsWith(reviewMark(key).replace(/ -->$/, ""));
}

type Position = Readonly<Record<"base_sha" | "start_sha" | "head_sha", string>>;

/** Null if the merge request has another commit by now, because the lines could be wrong. */
async function findPosition(client: ForgeClient, path: string, { commit }: ReviewDraft): Promise<Position | null> {
  const { diff_refs: refs } = await client.get(diffRefs, { doing: "read the merge request", path });
  return refs?.head_sha === commit ? refs : null;
}

async function postNote(client: ForgeClient, path: string, draft: ReviewDraft): Promise<void> {
  const body = textOf(`${reviewMark(draft.key)}\n${withListedComments(draft.body, draft.comments)}`);
  await client.send({
    doing: "post the review",
    method: "POST",
    path: `${path}/notes`,
    body: { body },
    repeatable: false,
  });
}

interface DraftsParams {
  readonly draft: ReviewDraft;
  /** Drafts that an earlier call left. */
  readonly drafts: readonly string[];
  readonly position: Position;
}

async function postDrafts(client: ForgeClient, path: string, { draft, drafts, position }: DraftsParams): Promise<void> {
  const has = (mark: string): boolean => drafts.some((note) => note.startsWith(mark));
  const refused: LineComment[] = [];
  const create = (body: Readonly<Record<string, unknown>>) =>
    client.send({
      doing: "post a review comment",
      method: "POST",
      path: `${path}/draft_notes`,
      body,
      repeatable: false,
    });
  for (const [index, comment] of draft.comments.entries()) {
    const mark = reviewMark(draft.key, String(index + 1));
    if (has(mark)) continue;
    const { file, line } = comment;
    try {
      await create({
        note: textOf(`${mark}\n${comment.body}`),
        position: { ...position, position_type: "text", old_path: file, new_path: file, new_line: line },
      });
    } catch (error) {
      if (!(error instanceof ForgeResponseError) || ![400, 422].includes(error.status)) throw error;
      refused.push(comment);
    }
  }
  const mark = reviewMark(draft.key, "text");
  if (!has(mark)) await create({ note: textOf(`${mark}\n${withListedComments(draft.body, refused)}`) });
  await client.send({
    doing: "publish the review",
    method: "POST",
    path: `${path}/draft_notes/bulk_publish`,
    repeatable: false,
  });
}

function textOf(text: string): string {
  return escapeQuickActions(fitBody(text));
}
