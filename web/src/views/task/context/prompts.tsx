import { useState } from "react";
import { escapedText } from "../../../../../src/core/text/terminal-text.ts";
import type { RunJson, TaskJson } from "../../../../../src/http/client/client.ts";
import { useApi } from "../../../api/queries.ts";
import { formatCount } from "../../../ui/format.ts";
import { Loaded } from "../../../ui/state.tsx";
import { Time } from "../../../ui/time.tsx";

/** The prompt of each run of an agent, exactly as it was sent. */
export function Prompts({ task: { runs } }: { task: TaskJson }) {
  const started = runs.filter(({ step, started_at: at }) => step === "agent" && at !== null);
  if (started.length === 0) return null;
  return (
    <section aria-labelledby="context-prompts">
      <h2 className="h3" id="context-prompts">
        What each run was told
      </h2>
      {started.toReversed().map((run) => (
        <RunPrompt key={run.id} run={run} />
      ))}
    </section>
  );
}

function RunPrompt({ run }: { run: RunJson }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="fold marked" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <b className="strong">{run.role}</b>
        <span className="muted">
          {" "}
          <bdi>by {run.agent}</bdi>, <Time at={run.started_at ?? run.created_at} />
        </span>
      </summary>
      {isOpen && <PromptText run={run.id} />}
    </details>
  );
}

function PromptText({ run }: { run: string }) {
  const query = useApi("GET /runs/:id/prompt", { params: { id: run } }, { live: false });
  return (
    <Loaded query={query} what="The prompt">
      {({ prompt }) =>
        prompt === null ? (
          <p className="muted">The prompt was removed with the files of the run.</p>
        ) : (
          <>
            <p className="hint">{formatCount(prompt.length)} characters</p>
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard has to scroll it */}
            <pre className="prompt" dir="auto" tabIndex={0} role="region" aria-label="Prompt">
              {escapedText(prompt)}
            </pre>
          </>
        )
      }
    </Loaded>
  );
}
