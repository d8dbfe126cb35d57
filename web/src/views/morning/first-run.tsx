import type { ReactNode } from "react";
import { useApi } from "../../api/queries.ts";
import { useSession } from "../../app/session.ts";
import { hasRight } from "../../../../src/core/task/requester.ts";
import type { AgentJson, FindingJson } from "../../../../src/http/client/client.ts";
import { Button } from "../../ui/button.tsx";
import { Command } from "../../ui/command.tsx";
import { Glyph, type GlyphName } from "../../ui/glyph.tsx";
import { Loaded } from "../../ui/state.tsx";
import { layoutNight } from "./night/night-line.ts";
import { NightPlot } from "./night/night-figure.tsx";

/** Whether there is no project and no task yet. False while that is not known. */
export function useIsFirstRun(): boolean {
  const projects = useApi("GET /projects").data?.projects;
  const tasks = useApi("GET /status").data?.tasks;
  if (projects === undefined || tasks === undefined) return false;
  return projects.length === 0 && Object.values(tasks).every((count) => count === 0);
}

const NOON = Date.UTC(2026, 0, 1, 12);
const EMPTY_NIGHT = layoutNight({ since: NOON, until: NOON, now: null, spans: [], gaps: [], stops: [] });

/** What a new user sees: two commands to begin with, and whether this machine is ready. */
export function FirstRun() {
  const version = useApi("GET /status").data?.version;
  return (
    <div className="first-run">
      <p className="faint">Nightshift {version}, on this machine</p>
      <h1 className="verdict">
        No project yet. <span>Add one, submit tasks in the evening, and read this page in the morning.</span>
      </h1>
      <figure className="night alone" role="group" aria-label="The night, hour by hour">
        <NightPlot line={EMPTY_NIGHT} label="An empty night, from 20:00 to 08:00." zone="UTC" now={NOON} />
      </figure>
      <ol>
        <Step number={1} title="Add a repository">
          <p className="muted">
            It finds your checks, agents and forge, writes <code>nightshift.yaml</code> and changes nothing else.
          </p>
          <Command text="cd your-repository && nightshift init" />
        </Step>
        <Step number={2} title="Or try it without one">
          <p className="muted">
            The whole product on a temporary repository. A scripted agent takes the place of the model: no key, no
            account, no cost.
          </p>
          <Command text="nightshift demo" />
        </Step>
        <Step number={3} title="This machine">
          <MachineCheck />
        </Step>
      </ol>
    </div>
  );
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="step">
      <span className="faint strong" aria-hidden>
        {number}
      </span>
      <div>
        <h2>{title}</h2>
        {children}
      </div>
    </li>
  );
}

const GLYPHS: Readonly<Record<FindingJson["ok"], GlyphName>> = { yes: "succeeded", no: "failed", warn: "skipped" };
const WORDS: Readonly<Record<FindingJson["ok"], string>> = { yes: "Ready", no: "Blocks work", warn: "Optional" };

/** The daemon's own check, and the agents that it found. Only an admin may see the first. */
function MachineCheck() {
  const session = useSession();
  const isAdmin = session !== null && hasRight(session, "admin");
  // The folder of no project, so only the machine is checked.
  const doctor = useApi("GET /doctor", { query: { path: "/" } }, { live: false, enabled: isAdmin });
  const agents = useApi("GET /agents");
  return (
    <>
      {isAdmin && (
        <Loaded query={doctor} what="The check of this machine">
          {({ findings }) => (
            <FindingTable findings={findings.filter(({ name, night }) => night === undefined && name !== "project")} />
          )}
        </Loaded>
      )}
      <Loaded query={agents} what="The list of agents">
        {({ agents: found }) => (
          <FindingTable findings={found.filter(({ program }) => program !== null).map(describeAgent)} />
        )}
      </Loaded>
      {isAdmin && (
        <p className="more">
          <Button
            size="small"
            isBusy={doctor.isFetching}
            onClick={() => void Promise.all([doctor.refetch(), agents.refetch()])}
          >
            Check again
          </Button>
        </p>
      )}
    </>
  );
}

/** An agent that cannot be used is no problem: one is enough. */
function describeAgent({ name, usable, version, problem }: AgentJson): FindingJson {
  const detail = usable ? (version ?? "can be used") : (problem ?? "cannot be used");
  return { name: `agent ${name}`, ok: usable ? "yes" : "warn", detail, fix: null };
}

function FindingTable({ findings }: { findings: readonly FindingJson[] }) {
  return (
    <table className="findings">
      <tbody>
        {findings.map(({ name, ok, detail, fix }) => (
          <tr key={name}>
            <th scope="row">
              <span className="flex">
                <Glyph name={GLYPHS[ok]} label={WORDS[ok]} />
                {name}
              </span>
            </th>
            <td className="muted" dir="auto">
              {detail}
              {fix !== null && ok !== "yes" && <div className="faint">{fix}</div>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
