import { Hand } from "lucide-react";
import { escapedText } from "../../../../src/core/text/terminal-text.ts";
import type { DocumentJson } from "../../../../src/http/client/client.ts";
import { Banner } from "../../ui/state.tsx";
import { useDecision } from "../decision-context.ts";
import type { WaitOf } from "../wait.ts";

/** What the plan asks for and cannot get. */
export function planProblems({ content }: Pick<DocumentJson, "content">): readonly string[] {
  const problems = content["problems"];
  return Array.isArray(problems) ? problems.map((each) => escapedText(String(each))) : [];
}

interface PlanNotesProps {
  readonly waiting: WaitOf<"approval">;
  readonly document: DocumentJson;
}

/** What a person should know before they read the plan. */
export function PlanNotes({ waiting, document }: PlanNotesProps) {
  const { task } = useDecision();
  const problems = planProblems(document);
  const request = task.reviewed_request;
  return (
    <>
      {problems.length > 0 && (
        <Banner kind="red">
          <b className="strong">The plan asks for what cannot be granted.</b>
          <Lines lines={problems} />
        </Banner>
      )}
      {waiting.reasons.length > 0 && (
        <Banner icon={<Hand size={16} aria-hidden />}>
          <b className="strong">It was not approved automatically.</b>
          <Lines lines={waiting.reasons} />
        </Banner>
      )}
      {document.kind === "review" && request !== null && (
        <p className="muted">
          If you approve, this review is posted on{" "}
          <a className="link" href={request.url} rel="noreferrer" target="_blank">
            #{request.number}
          </a>{" "}
          of <bdi>{request.author}</bdi>.
        </p>
      )}
    </>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <ul className="lines">
      {lines.map((line) => (
        <li key={line} dir="auto">
          {line}
        </li>
      ))}
    </ul>
  );
}
