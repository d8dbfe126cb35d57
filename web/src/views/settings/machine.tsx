import type { FindingJson } from "../../../../src/http/client/client.ts";
import { useState } from "react";
import { useApi } from "../../api/queries.ts";
import { useRefusal } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { Glyph } from "../../ui/glyph.tsx";
import { Section } from "../../ui/section.tsx";
import { ErrorBanner } from "../../ui/state.tsx";

const SANDBOX = {
  enforce: { glyph: "succeeded", word: "Enforced", text: "The sandbox confines every agent and check." },
  external: { glyph: "baseline", word: "External", text: "Nightshift relies on the sandbox that you run it in." },
  none: { glyph: "failed", word: "Off", text: "Agents and checks run with all your permissions." },
} as const;

/** The sandbox mode, and what `nightshift doctor` finds with the daemon's eyes. */
export function Machine() {
  const status = useApi("GET /status").data;
  const projects = useApi("GET /projects").data?.projects;
  const path = projects?.find((project) => project.path !== null)?.path ?? "/";
  const [isAsked, setAsked] = useState(false);
  // Not live: a check starts programs and asks remotes.
  const check = useApi("GET /doctor", { query: { path } }, { enabled: isAsked, live: false });
  const refusal = useRefusal("admin", "Checking this machine");
  const mode = status === undefined ? null : SANDBOX[status.sandbox as keyof typeof SANDBOX];
  const run = (): void => {
    if (isAsked) void check.refetch();
    else setAsked(true);
  };
  return (
    <Section title="This machine" hint="The sandbox, and what the daemon sees">
      <div className="flex wrap" style={{ gap: "8px 16px" }}>
        {mode !== null && (
          <>
            <span className="flex strong" style={{ gap: 6 }}>
              <Glyph name={mode.glyph} />
              Sandbox: {mode.word}
            </span>
            <span className="muted">{mode.text}</span>
          </>
        )}
        <Button size="small" className="end" refusal={refusal} isBusy={check.isFetching} onClick={run}>
          Check this machine
        </Button>
      </div>
      <p className="hint">
        Runs the self-test of the sandbox and checks programs, agents, keys and remotes, like nightshift doctor.
      </p>
      {check.error !== null && <ErrorBanner title="The machine could not be checked." error={check.error} />}
      {check.data !== undefined && <Findings findings={check.data.findings} />}
    </Section>
  );
}

const MARKS = {
  yes: { glyph: "succeeded", word: "OK" },
  warn: { glyph: "baseline", word: "Warning" },
  no: { glyph: "failed", word: "Problem" },
} as const;
const ORDER = { no: 0, warn: 1, yes: 2 } as const;

function Findings({ findings }: { findings: readonly FindingJson[] }) {
  const sorted = findings.toSorted((a, b) => ORDER[a.ok] - ORDER[b.ok]);
  return (
    <ul className="problem-list" aria-label="Findings">
      {sorted.map(({ name, ok, detail, fix }, index) => (
        <li key={`${name} ${index}`}>
          <Glyph name={MARKS[ok].glyph} label={MARKS[ok].word} />
          <div>
            <span className="strong" dir="auto">
              {name}
            </span>{" "}
            <span className="muted break pre-line" dir="auto">
              {detail}
            </span>
            {fix !== null && ok !== "yes" && (
              <div className="break" dir="auto">
                → {fix}
              </div>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
