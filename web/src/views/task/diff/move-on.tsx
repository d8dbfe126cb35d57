import { shortHash } from "../../../../../src/core/text/short-hash.ts";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { Button } from "../../../ui/button.tsx";
import { plural } from "../../../ui/format.ts";
import { Banner } from "../../../ui/state.tsx";
import type { ReviewDraft } from "./use-review-draft.ts";

interface MoveOnProps {
  readonly task: TaskJson;
  readonly review: ReviewDraft;
  readonly head: string | null;
}

/** Whether the comments were written about another commit than the one that is shown. */
export function isOutdated({ commit }: Pick<ReviewDraft, "commit">, head: string | null): boolean {
  return commit !== null && head !== null && commit !== head;
}

/** The change moved on while a person commented. Their comments are bound to what they saw, so they have to look again. */
export function MoveOn({ review, head }: MoveOnProps) {
  if (!isOutdated(review, head) || head === null || review.commit === null) return null;
  const count = review.comments.length;
  return (
    <Banner kind="red">
      <b className="strong">The change moved on while you commented.</b> Nothing was sent.{" "}
      {count > 0 &&
        `Your ${plural(count, "comment")} about ${shortHash(review.commit)} ${count === 1 ? "is" : "are"} kept. `}
      Look at {shortHash(head)}, then decide what still holds.
      <p className="flex wrap" style={{ marginTop: 8 }}>
        <Button size="small" onClick={() => review.moveTo(head)}>
          Keep them for {shortHash(head)}
        </Button>
        <Button size="small" kind="quiet" onClick={() => review.clear()}>
          Discard them
        </Button>
      </p>
    </Banner>
  );
}
