import { useApi } from "../../api/queries.ts";
import { CodeText } from "../../ui/code-text.tsx";
import { Glyph } from "../../ui/glyph.tsx";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";

/** What the daemon cannot do at the moment. Shows nothing if all is well. */
export function Problems() {
  const status = useApi("GET /status").data;
  if (status === undefined) return null;
  const { problems, parked_agents: parked, outages } = status;
  if (problems.length + parked.length + outages.length === 0) return null;
  return (
    <Section title="Problems" count={problems.length + parked.length + outages.length} hint="Of the daemon now">
      <ul className="problem-list" aria-label="Problems">
        {problems.map((text) => (
          <li key={text}>
            <Glyph name="failed" label="Problem" />
            <CodeText text={text} />
          </li>
        ))}
        {parked.map(({ agent, reason, until }) => (
          <li key={agent}>
            <Glyph name="paused" label="Parked" />
            <span className="break">
              <b dir="auto">{agent}</b> <CodeText text={reason} />{" "}
              <span className="faint">
                It tries again <Time at={until} />.
              </span>
            </span>
          </li>
        ))}
        {outages.map(({ project, reason, until }) => (
          <li key={project}>
            <Glyph name="failed" label="Outage" />
            <span className="break">
              <b dir="auto">{project}</b> <CodeText text={reason} />{" "}
              <span className="faint">
                It tries again <Time at={until} />.
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
