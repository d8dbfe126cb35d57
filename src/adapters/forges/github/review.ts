import { reviewMark, withListedComments, type LineComment, type ReviewDraft } from "../../../core/forge/review-text.ts";
import type { PostedReview } from "../../../ports/forge.ts";
import type { ForgeClient } from "../shared/client.ts";
import { ForgeResponseError } from "../shared/responses.ts";
import { fitBody } from "../shared/texts.ts";
import { repoPath } from "./client.ts";
import type { RepositoryName } from "./client.ts";
import { review } from "./schemas.ts";

/** GitHub refuses a whole review if one of its comments is not on a line of the diff. All comments go into the text then. */
export async function postPullReview(
  client: ForgeClient,
  repo: RepositoryName,
  number: number,
  draft: ReviewDraft,
): Promise<PostedReview> {
  const path = repoPath(repo, "pulls", number, "reviews");
  const mark = reviewMark(draft.key);
  const posted = await client.list(review.array(), { doing: "read reviews", path });
  if (posted.some(({ body }) => body?.startsWith(mark) === true)) return { isNew: false };
  const post = (text: string, comments: readonly LineComment[]) =>
    client.send({
      doing: "post the review",
      method: "POST",
      path,
      body: {
        commit_id: draft.commit,
        // The token's owner usually opened the pull request, and authors can neither approve nor request changes.
        event: "COMMENT",
        body: fitBody(`${mark}\n${text}`),
        comments: comments.map(({ file, line, body }) => ({
          path: file,
          line,
          side: "RIGHT",
          body: fitBody(`${mark}\n${body}`),
        })),
      },
      repeatable: false,
    });
  try {
    await post(draft.body, draft.comments);
  } catch (error) {
    if (!(error instanceof ForgeResponseError) || error.status !== 422 || draft.comments.length === 0) throw error;
    await post(withListedComments(draft.body, draft.comments), []);
  }
  return { isNew: true };
}
