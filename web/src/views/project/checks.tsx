import type { FindingJson, ProjectJson, ProjectSettingsJson } from "../../../../src/http/client/client.ts";
import { DONE, useAction } from "../../api/actions.ts";
import { useState } from "react";
import { useRefusal } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { CodeText } from "../../ui/code-text.tsx";
import { formatDuration } from "../../ui/format.ts";
import { Glyph, type GlyphName } from "../../ui/glyph.tsx";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { Section } from "../../ui/section.tsx";
import { ErrorBanner } from "../../ui/state.tsx";

/** What every change must pass. */
export function Checks({ project, settings }: { project: ProjectJson; settings: ProjectSettingsJson }) {
  const { checks, scan_secrets: scansSecrets, fail_on_warning: failsOnWarning } = settings;
  return (
    <Section title="Checks" count={checks.length + (scansSecrets ? 1 : 0)} hint="What every change must pass">
      <ScrollArea label="Checks of the project">
        <table className="nowrap-sm">
          <thead>
            <tr>
              <th>Name</th>
              <th>Command</th>
              <th className="hide-sm">Counts as</th>
              <th className="num hide-sm">Limit</th>
            </tr>
          </thead>
          <tbody>
            {checks.map(({ name, command, severity, timeout_ms: timeout }) => (
              <tr key={name}>
                <td className="strong" dir="auto">
                  {name}
                </td>
                <td>
                  <code className="break" dir="ltr">
                    {command}
                  </code>
                </td>
                <td className="muted hide-sm">{failsOnWarning ? "error" : severity}</td>
                <td className="num muted hide-sm">{formatDuration(timeout)}</td>
              </tr>
            ))}
            {scansSecrets && (
              <tr>
                <td className="strong">no-secrets</td>
                <td className="faint">built in</td>
                <td className="muted hide-sm">error</td>
                <td className="num faint hide-sm">none</td>
              </tr>
            )}
          </tbody>
        </table>
      </ScrollArea>
      {checks.length === 0 && (
        <p className="hint">
          The project has no checks of its own, so nothing proves that a change works. Add them to{" "}
          <code>nightshift.yaml</code>.
        </p>
      )}
      <RunChecks project={project} />
    </Section>
  );
}

const GLYPHS: Readonly<Record<FindingJson["ok"], GlyphName>> = { yes: "succeeded", no: "failed", warn: "baseline" };
const WORDS: Readonly<Record<FindingJson["ok"], string>> = { yes: "In order", no: "Blocks work", warn: "Warning" };

/** Finds settings that cannot work, and runs the checks where every change starts. */
function RunChecks({ project: { name, default_branch: branch } }: { project: ProjectJson }) {
  const check = useAction("POST /projects/:name/checks");
  const refusal = useRefusal("submit", "Running checks");
  const [findings, setFindings] = useState<readonly FindingJson[] | null>(null);
  const run = async (): Promise<void> => {
    const reply = await check.run({ params: { name }, body: { run: true } });
    if (reply !== null && reply !== DONE) setFindings(reply.findings);
  };
  return (
    <div className="try-now">
      <Button size="small" isBusy={check.isBusy} refusal={refusal} onClick={() => void run()}>
        Run them on {branch}
      </Button>
      {check.error !== null && <ErrorBanner title="The checks did not run." error={check.error} />}
      <div role="status">
        {findings !== null && findings.length === 0 && <p className="hint">Nothing was found that cannot work.</p>}
        {findings !== null && findings.length > 0 && (
          <ul className="findings">
            {findings.map(({ name: title, ok, detail, fix }) => (
              <li key={`${title} ${detail}`}>
                <Glyph name={GLYPHS[ok]} label={WORDS[ok]} />
                <div>
                  <b className="strong" dir="auto">
                    {title}
                  </b>{" "}
                  <CodeText text={detail} />
                  {fix !== null && (
                    <p className="muted">
                      <CodeText text={fix} />
                    </p>
                  )}
                </div>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
