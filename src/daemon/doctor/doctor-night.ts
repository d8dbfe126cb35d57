import { existsSync, realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createCron } from "../../adapters/cron/croner.ts";
import { homePaths } from "../../config/files/paths.ts";
import { createProjectFiles } from "../../config/files/project-files.ts";
import { isInside } from "../../config/files/read-text.ts";
import { weekdayAt, type Weekday } from "../../core/nightly/category.ts";
import { didYouMean } from "../../core/text/did-you-mean.ts";
import { TEMPLATE_VARIABLES, unknownVariables } from "../../core/prompt/prompt.ts";
import { ROLES } from "../../core/task/role.ts";
import { categoriesAt, NIGHTLY, schedulesOf, type Schedule } from "../../core/schedule/schedule.ts";
import type { Secret } from "../../policy/secrets/secret-forms.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { checkForge } from "./doctor-forge.ts";
import { explainFinding, fine, forNight, type Finding } from "./doctor-finding.ts";
import type { Registry } from "../wire/registry.ts";
import type { RegisteredProject } from "./doctor-home.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface CheckNightsParams {
  readonly env: Environment;
  readonly home: string;
  readonly projects: readonly RegisteredProject[];
  /** checkProject tests the remote of the project in this folder. */
  readonly cwd: string;
  readonly registry: Registry;
  readonly addSecret: (secret: Secret) => void;
  readonly now?: number;
}

/** Checks forge, schedules and prompts of all registered projects. */
export async function checkNights(params: CheckNightsParams): Promise<readonly Finding[]> {
  const files = createProjectFiles({
    configDir: params.home,
    builtinDir: fileURLToPath(new URL("../../builtin/", import.meta.url)),
    format: params.registry.format,
  });
  const found = await Promise.all(
    params.projects.map(async (project) => {
      const isCurrent = project.path !== null && isInside(realpathSync(params.cwd), project.path);
      const settings = await files.settings(project).catch((error: unknown) => ({ error }));
      // checkProject reports invalid files of the current project.
      if ("error" in settings) return isCurrent ? [] : [explainFinding(`settings (${project.name})`, settings.error)];
      return [
        ...(await checkForge({
          project,
          settings,
          env: params.env,
          triesPush: !isCurrent,
          forges: params.registry.forges,
          addSecret: params.addSecret,
        })),
        ...checkSchedules({ project: project.name, settings, isCurrent }, params),
        ...(await checkPrompts(project.name, settings, (role) => files.prompt(project, role))),
      ];
    }),
  );
  return found.flat();
}

/** Only the project of the current folder needs a schedule: other projects may have none on purpose. */
function checkSchedules(
  {
    project,
    settings,
    isCurrent,
  }: { readonly project: string; readonly settings: Settings; readonly isCurrent: boolean },
  { home, now = Date.now() }: CheckNightsParams,
): readonly Finding[] {
  const findings = schedulesOf(settings).map((schedule) => {
    const { finding, startsWork } = checkSchedule(project, settings, { schedule, now });
    return isCurrent ? forNight("schedule", finding, startsWork) : finding;
  });
  if (findings.length === 0 || existsSync(homePaths(home).daemon)) return findings;
  const [detail, fix] = ["the daemon is not running, so no schedule starts", "nightshift start"];
  return [...findings, { name: `schedules (${project})`, ok: "warn", detail, fix }];
}

// Enough to reach every weekday of a schedule.
const MAX_RUNS = 400;
const MAX_AHEAD_MS = 60 * 86_400_000;

function checkSchedule(
  project: string,
  settings: Settings,
  { schedule, now }: { readonly schedule: Schedule; readonly now: number },
): { readonly finding: Finding; readonly startsWork: boolean } {
  const name = `${schedule.name} (${project})`;
  const runs = listUpcomingRuns(schedule, now);
  const [first] = runs;
  if (first === undefined) {
    const detail = `"${schedule.expression}" matches no future date`;
    return {
      finding: { name, ok: "warn", detail, fix: "correct its cron fields in nightshift.yaml" },
      startsWork: false,
    };
  }
  const next = `next: ${localTime(first, schedule.timeZone)}`;
  if (schedule.name !== NIGHTLY) return { finding: fine(name, `${next}, ${schedule.pipeline}`), startsWork: true };
  const startsWork = runs.some((at) => categoriesAt(settings, at).length > 0);
  const idle = listIdleDays(settings, runs);
  if (idle.length === 0)
    return { finding: fine(name, `${next}, ${categoriesAt(settings, first).join(", ")}`), startsWork };
  const detail = startsWork
    ? `${next}\nnothing is done on ${idle.join(", ")}: no category is scheduled for ${idle.length === 1 ? "that day" : "those days"}`
    : "no night does anything: no category is scheduled for any of its days";
  const fix = `add categories under improve.categories${startsWork ? ", or remove the day from improve.schedule" : ", then run nightshift trust"}`;
  return { finding: { name, ok: "warn", detail, fix }, startsWork };
}

function listUpcomingRuns(schedule: Schedule, now: number): readonly number[] {
  const cron = createCron();
  const runs: number[] = [];
  for (let at = cron.next(schedule, now); at !== null && runs.length < MAX_RUNS; at = cron.next(schedule, at)) {
    runs.push(at);
    if (at > now + MAX_AHEAD_MS) break;
  }
  return runs;
}

function listIdleDays(settings: Settings, runs: readonly number[]): readonly Weekday[] {
  const idle = runs.filter((at) => categoriesAt(settings, at).length === 0);
  return [...new Set(idle.map((at) => weekdayAt(at, settings.timeZone)))];
}

function localTime(at: number, timeZone: string): string {
  const form = { weekday: "short", day: "2-digit", month: "short", hour: "2-digit", minute: "2-digit" } as const;
  return `${new Intl.DateTimeFormat("en-GB", { timeZone, ...form }).format(at)} ${timeZone}`;
}

/** Reports unknown template variables: the agent would see the placeholder itself. */
async function checkPrompts(
  project: string,
  { improve, roles }: Settings,
  read: (role: (typeof ROLES)[number]) => Promise<string>,
): Promise<readonly Finding[]> {
  const own = Object.keys(improve.variables);
  const known = [...TEMPLATE_VARIABLES, ...own];
  const problems = await Promise.all(
    ROLES.map(async (role) => {
      // An unreadable prompt has its own finding.
      const text = await read(role).catch(() => "");
      return unknownVariables(`${text}\n${roles[role].append}`, own).map(
        (name) => `the prompt of ${role} uses the unknown variable {{${name}}}.${didYouMean(name, known)}`,
      );
    }),
  );
  if (problems.flat().length === 0) return [];
  const fix = "correct the name, or define it under improve.variables; docs/improve.md lists all variables";
  return [{ name: `prompts (${project})`, ok: "warn", detail: problems.flat().join("\n"), fix }];
}
