import type { TaskJson } from "../../../../src/http/client/client.ts";
import { Markdown } from "../../ui/markdown.tsx";
import { Voice } from "../../ui/voice.tsx";
import { nameAgent } from "../agent-name.ts";
import type { ReviewJson } from "./verdict.ts";

const SEVERITY: Readonly<Record<ReviewJson["comments"][number]["severity"], string>> = {
  critical: "Critical",
  suggestion: "Suggestion",
  nit: "Nit",
};

/** What the newest review says, with its comments and what the author did about them. */
export function ReviewVoice({ task, review }: { task: TaskJson; review: ReviewJson }) {
  const run = task.runs.find(({ id }) => id === review.run);
  return (
    <section className="after">
      <Voice by={`${run === undefined ? "The reviewer" : nameAgent(run)} wrote, as its review`}>
        <Markdown text={review.summary} />
        {review.comments.length > 0 && (
          <ul className="comments">
            {review.comments.map((comment, index) => (
              <li key={String(index)}>
                <p>
                  <b className={comment.severity === "critical" ? "c-red" : undefined}>{SEVERITY[comment.severity]}</b>
                  {comment.file !== null && (
                    <>
                      {" "}
                      <code dir="auto">
                        {comment.file}
                        {comment.line === null ? "" : `:${comment.line}`}
                      </code>
                    </>
                  )}
                </p>
                <Markdown text={comment.comment} />
                {comment.answer !== null && (
                  <p className="muted">
                    The author: <span dir="auto">{comment.answer}</span>
                  </p>
                )}
              </li>
            ))}
          </ul>
        )}
      </Voice>
    </section>
  );
}
