import { useId } from "react";
import { shortHash } from "../../../../src/core/text/short-hash.ts";
import type { DocumentJson } from "../../../../src/http/client/client.ts";
import { Time } from "../../ui/time.tsx";
import { nameAgent } from "../agent-name.ts";
import { useDecision } from "../decision-context.ts";
import { DeedList, isExecutionPlan } from "./deed-list.tsx";
import { DocumentText } from "./document-text.tsx";

/** The box with everything that a person approves. The hash is of exactly its content. */
export function Deed({ document }: { document: DocumentJson }) {
  const { task } = useDecision();
  const id = useId();
  const run = task.runs.find((each) => each.id === document.run);
  const { kind, content, hash, version } = document;
  return (
    <section className="deed" aria-labelledby={id}>
      <header>
        <h2 id={id}>What you approve</h2>
        <span className="hash" title={`SHA-256 of the ${kind}: ${hash}`}>
          {kind} {shortHash(hash)}
        </span>
        <span className="faint end">
          {version > 1 && `version ${version}, `}made <Time at={document.at} />
          {run !== undefined && (
            <>
              {" "}
              by <bdi>{nameAgent(run)}</bdi>
            </>
          )}
        </span>
      </header>
      {isExecutionPlan(document) ? (
        <DeedList content={content} inPlace={task.options.in_place} />
      ) : (
        <DocumentText document={document} by={run === undefined ? "The agent" : nameAgent(run)} />
      )}
    </section>
  );
}
