import { existsSync } from "node:fs";
import { isInside } from "../../config/files/read-text.ts";
import { describeParked } from "../../core/task/describe-parked.ts";
import type { ParkedAgent } from "../../core/task/parked-agent.ts";
import { UserError } from "../../core/text/errors.ts";
import { previewFiles } from "../../engine/commands/preview-task.ts";
import { explainNoEligibleFiles } from "../../engine/nightly/eligible-files.ts";
import { NIGHT_WORK } from "../../core/schedule/schedule.ts";
import { measureProject } from "../../engine/run/checks/measure-baseline.ts";
import type { Settings } from "../../core/settings/settings.ts";
import type { Project } from "../../ports/store.ts";
import { checkUserConfig } from "../doctor/doctor-home.ts";
import { checkEnvironment } from "../doctor/doctor.ts";
import { checkConfiguration } from "../doctor/doctor-configuration.ts";
import { describeBaseline } from "../doctor/doctor-checks.ts";
import { explainFinding, fine, forNight, type Finding } from "../doctor/doctor-finding.ts";
import type { Wired } from "./wire.ts";

export interface DoctorOptions {
  /** Run the checks on the base commit. */
  readonly run: boolean;
}

/** The part of `doctor` that only the daemon can answer, with its own environment and data. */
export async function checkFromDaemon(wired: Wired, path: string, options: DoctorOptions): Promise<readonly Finding[]> {
  const { registry, ports, addSecret } = wired;
  const { home, env } = ports.host;
  if (!existsSync(path)) throw new UserError("invalid", `The folder ${path} does not exist.`);
  const [{ config }, projects] = await Promise.all([
    checkUserConfig(home, registry.format),
    ports.store.projects.listProjects(),
  ]);
  const here = projects.find((project) => project.path !== null && isInside(path, project.path)) ?? null;
  const findings = await checkEnvironment({ env, home, config, projects, cwd: path, registry, addSecret });
  const agents = here === null ? findings : withParkedAgents(findings, await ports.store.agents.listParked(), here);
  // One after the other, because both update the mirror.
  const files = here === null ? [] : await checkNightFiles(ports, here);
  const setup = here === null ? [] : await checkProjectSetup(wired, here, options);
  // Findings quote the output of other programs.
  return ports.secrets.redact([...agents, ...files, ...setup.filter((finding) => !isReported(finding, findings))]);
}

/** A parked agent is installed and has a key, and still no run of it can succeed. */
function withParkedAgents(
  findings: readonly Finding[],
  parked: readonly ParkedAgent[],
  { name: project }: Project,
): readonly Finding[] {
  return findings.map((finding) => {
    const found = parked.find(
      ({ agent, account }) => finding.name === `agent ${agent}` && !isAccountOfOther(account, project),
    );
    if (found === undefined || finding.ok !== "yes") return finding;
    const fix = `when it is fixed: nightshift agents --retry ${found.agent}`;
    const problem: Finding = { ...finding, ok: "no", detail: describeParked(found), fix };
    return finding.night === undefined ? { ...problem, ok: "warn" } : forNight(finding.night.need, problem);
  });
}

/** An agent with settings of its own has an account for each project: `<project>/<agent>`. */
function isAccountOfOther(account: string, project: string): boolean {
  return account.includes("/") && !account.startsWith(`${project}/`);
}

/** Both parts read the project's files, and both report that they are invalid. */
function isReported({ ok, detail }: Finding, findings: readonly Finding[]): boolean {
  return ok === "no" && findings.some((finding) => finding.detail === detail);
}

/** Finds settings that cannot work, and runs the checks on the base commit. The results of the checks are kept. */
export async function checkProjectSetup(
  { ports }: Pick<Wired, "ports">,
  project: Project,
  { run }: DoctorOptions,
): Promise<readonly Finding[]> {
  let settings: Settings;
  try {
    settings = await ports.projects.settings(project);
  } catch (error) {
    return [explainFinding("nightshift.yaml", error)];
  }
  const findings = await checkConfiguration({ settings, dir: project.path, mode: ports.sandbox.mode });
  const checks = run ? await runChecksOnBase(ports, project) : [];
  return ports.secrets.redact([...findings, ...checks]);
}

async function runChecksOnBase(ports: Wired["ports"], project: Project): Promise<readonly Finding[]> {
  try {
    // Continues if the caller goes away: the results are kept for the next one.
    return describeBaseline(await measureProject(ports, project, { signal: new AbortController().signal }));
  } catch (error) {
    const { detail, fix } = explainFinding("checks", error);
    return [forNight("checks", { name: "checks", ok: "warn", detail: `could not run: ${detail}`, fix })];
  }
}

/** Counts the files that a nightly improvement may change. Other findings report invalid settings and the remote. */
async function checkNightFiles(ports: Wired["ports"], project: Project): Promise<readonly Finding[]> {
  const settings = await ports.projects.settings(project).catch(() => null);
  if (settings?.improve.schedule == null) return [];
  const { pipeline } = await ports.projects.pipeline(project, NIGHT_WORK.pipeline);
  const files = await previewFiles(ports, { project, settings, pipeline });
  if (files === null) return [];
  const name = `files (${project.name})`;
  if (files.eligible > 0)
    return [forNight("files", fine(name, `a night may change ${files.eligible} of ${files.all.length}`))];
  const fix = "lower improve.avoid_recent_commits in nightshift.yaml, then run nightshift trust";
  return [forNight("files", { name, ok: "warn", detail: explainNoEligibleFiles(files), fix })];
}
