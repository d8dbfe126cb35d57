import { useState } from "react";
import { useApi } from "../../api/queries.ts";
import { formatCount, formatDuration, formatMoney } from "../../ui/format.ts";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { Loaded } from "../../ui/state.tsx";

/** Which agent works in which role of a project, and within which limits. */
export function RoleTable() {
  const projects = useApi("GET /projects").data?.projects ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const name = chosen ?? projects[0]?.name ?? null;
  if (name === null) return null;
  return (
    <section className="roles" aria-labelledby="roles">
      <div className="flex wrap">
        <h2 id="roles">Who does what</h2>
        {projects.length > 1 && (
          <span className="seg" role="group" aria-label="Project">
            {projects.map((project) => (
              <button
                key={project.name}
                type="button"
                aria-pressed={project.name === name}
                onClick={() => setChosen(project.name)}
                dir="auto"
              >
                {project.name}
              </button>
            ))}
          </span>
        )}
      </div>
      <Roles project={name} />
    </section>
  );
}

function Roles({ project }: { project: string }) {
  const settings = useApi("GET /projects/:name/settings", { params: { name: project } }, { live: false });
  return (
    <Loaded query={settings} what={`The settings of ${project}`}>
      {({ roles, fallback_agent: fallback }) => (
        <>
          <ScrollArea label="Roles">
            <table className="nowrap-sm">
              <thead>
                <tr>
                  <th>Role</th>
                  <th>Agent, model</th>
                  <th className="num">Time</th>
                  <th className="num">Turns</th>
                  <th className="num">Cost</th>
                </tr>
              </thead>
              <tbody>
                {roles.map(({ role, agent, model, timeout_ms: timeout, max_turns: turns, max_budget_usd: usd }) => (
                  <tr key={role}>
                    <td className="strong">{role}</td>
                    <td dir="auto">
                      {agent} {model !== null && <span className="faint">{model}</span>}
                    </td>
                    <td className="num">{formatDuration(timeout)}</td>
                    <td className="num">{turns === null ? "no limit" : formatCount(turns)}</td>
                    <td className="num">{usd === null ? "no limit" : formatMoney(usd)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollArea>
          <p className="hint">
            The most that one run may take.
            {fallback !== null && ` ${fallback} takes over when an agent has used up its quota.`}
          </p>
        </>
      )}
    </Loaded>
  );
}
