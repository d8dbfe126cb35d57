import type { ProjectJson, ProjectSettingsJson } from "../../../../src/http/client/client.ts";
import { describeCron } from "../../../../src/core/schedule/describe-cron.ts";
import { useApi } from "../../api/queries.ts";
import { formatDuration, formatMoney, plural } from "../../ui/format.ts";
import { Section } from "../../ui/section.tsx";
import { Loaded } from "../../ui/state.tsx";
import { Checks } from "./checks.tsx";

/** What applies now, from all files together. */
export function ProjectSettings({ project }: { project: ProjectJson }) {
  const settings = useApi("GET /projects/:name/settings", { params: { name: project.name } });
  return (
    <Loaded query={settings} what="The settings">
      {(data) => (
        <>
          <Checks project={project} settings={data} />
          <Section title="Gates and limits" hint="From nightshift.yaml and config.yaml">
            <Gates settings={data} />
          </Section>
          <Section title="Sandbox" hint="What runs may reach">
            <Sandbox settings={data} />
          </Section>
        </>
      )}
    </Loaded>
  );
}

const GATES = { person: "a person approves", auto: "without a person" } as const;
const PROOFS = {
  require: "a fix without proof waits for a person",
  show: "shown, and does not stop a task",
  off: "off",
} as const;

function Gates({ settings }: { settings: ProjectSettingsJson }) {
  const { gates, limits, budget, improve, repair_attempts: repairs, forge } = settings;
  return (
    <dl className="kv">
      <dt>Plan</dt>
      <dd>{GATES[gates.plan]}</dd>
      <dt>Merge</dt>
      <dd>{gates.merge === "person" ? "a person merges" : "without a person"}</dd>
      <dt>Proof of a fix</dt>
      <dd>{PROOFS[gates.proof]}</dd>
      <dt>Repairs</dt>
      <dd>at most {plural(repairs, "attempt")} after failed checks</dd>
      <dt>At once</dt>
      <dd>{plural(limits.concurrent_runs, "run")}</dd>
      <dt>Open change requests</dt>
      <dd>at most {limits.open_change_requests} by the night shift</dd>
      <dt>Task</dt>
      <dd>
        at most {formatDuration(limits.task_timeout_ms)}
        {budget.task_usd !== null && `, ${formatMoney(budget.task_usd)}`}
      </dd>
      <dt>Run</dt>
      <dd>{budget.run_usd === null ? "no limit of costs" : `at most ${formatMoney(budget.run_usd)}`}</dd>
      <dt>Night, month</dt>
      <dd>
        {budget.night_usd === null && budget.month_usd === null
          ? "no limit of costs"
          : `${describeAmount(budget.night_usd)}, ${describeAmount(budget.month_usd)}`}
      </dd>
      <dt>Nightly change</dt>
      <dd>at most {plural(improve.max_diff_lines, "line")}</dd>
      <dt>Nightly improvement</dt>
      <dd>{describeSchedule(improve.schedule, settings.time_zone)}</dd>
      <dt>Publishes to</dt>
      <dd dir="auto">
        {forge === null ? "branches only; no forge is set" : `${forge.kind}${forge.draft ? ", as a draft" : ""}`}
        {forge?.reviewer != null && `, reviewed by ${forge.reviewer}`}
      </dd>
    </dl>
  );
}

function describeAmount(usd: number | null): string {
  return usd === null ? "no limit" : `at most ${formatMoney(usd)}`;
}

function describeSchedule(cron: string | null, timeZone: string): string {
  return cron === null ? "not scheduled" : `${describeCron(cron) ?? cron}, ${timeZone}`;
}

const MODES = {
  enforce: "enforced by Nightshift",
  external: "provided by the machine, not by Nightshift",
  none: "none: runs can do what the daemon’s user can do",
} as const;

function Sandbox({ settings: { sandbox, secrets, mcp } }: { settings: ProjectSettingsJson }) {
  return (
    <dl className="kv">
      <dt>Isolation</dt>
      <dd>{MODES[sandbox.mode]}</dd>
      <dt>Network</dt>
      <dd>
        <Names names={sandbox.network} none="nothing beyond the model" />
      </dd>
      <dt>Commands</dt>
      <dd>{sandbox.commands === null ? "all of the system" : <Names names={sandbox.commands} none="none" />}</dd>
      <dt>Also reads</dt>
      <dd>
        <Names names={sandbox.read} none="nothing outside of the workspace" />
      </dd>
      <dt>Also writes</dt>
      <dd>
        <Names names={sandbox.write} none="nothing outside of the workspace" />
      </dd>
      <dt>Secrets</dt>
      <dd>
        <Names names={secrets.map(({ name, roles }) => `${name} (${roles.join(", ")})`)} none="none" />
      </dd>
      <dt>MCP servers</dt>
      <dd>
        <Names names={mcp} none="none" />
      </dd>
    </dl>
  );
}

function Names({ names, none }: { names: readonly string[]; none: string }) {
  return names.length === 0 ? (
    <span className="faint">{none}</span>
  ) : (
    <span className="break" dir="ltr">
      {names.join(", ")}
    </span>
  );
}
