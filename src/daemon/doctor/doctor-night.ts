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
import type { Settings } from "../../core/settings/settings.ts";
import { checkForge } from "./doctor-forge.ts";
import { explainFinding, fine, type Finding } from "./doctor-finding.ts";
import type { Registry } from "../wire/registry.ts";
import type { RegisteredProject } from "./doctor-home.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface CheckNightsParams {
  readonly env: Environment;
  readonly home: string;
  readonly projects: readonly RegisteredProject[];
  /** The remote of the project that this is in is tried by itself. */
  readonly cwd: string;
  readonly registry: Registry;
  readonly now?: number;
}

/** Whether tonight's work could be found, made and published: of every registered project, since a night serves them all. */
export async function checkNights(params: CheckNightsParams): Promise<readonly Finding[]> {
  const files = createProjectFiles({
    configDir: params.home,
    builtinDir: fileURLToPath(new URL("../../builtin/", import.meta.url)),
    format: params.registry.format,
  });
  const found = await Promise.all(
    params.projects.map(async (project) => {
      const isHere = isIn(params.cwd, project.path);
      const settings = await files.settings(project).catch((error: unknown) => ({ error }));
      // Where this is asked, broken files have a finding of their own.
      if ("error" in settings) return isHere ? [] : [explainFinding(`settings (${project.name})`, settings.error)];
      return [
        ...(await checkForge({
          project,
          settings,
          env: params.env,
          triesPush: !isHere,
          forges: params.registry.forges,
        })),
        ...checkSchedules(project.name, settings, params),
        ...(await checkPrompts(project.name, settings, (role) => files.prompt(project, role))),
      ];
    }),
  );
  return found.flat();
}

function isIn(cwd: string, path: string | null): boolean {
  return path !== null && isInside(realpathSync(cwd), path);
}

function checkSchedules(
  project: string,
  settings: Settings,
  { home, now = Date.now() }: CheckNightsParams,
): readonly Finding[] {
  const findings = schedulesOf(settings).map((schedule) => checkSchedule(project, settings, { schedule, now }));
  if (findings.length === 0 || existsSync(homePaths(home).daemon)) return findings;
  const [detail, fix] = ["no daemon is running, and nothing starts without it", "nightshift start"];
  return [...findings, { name: `schedules (${project})`, ok: "warn", detail, fix }];
}

// Every weekday that a schedule knows comes round in this many runs, or in this time.
const MOST_RUNS = 400;
const AHEAD_MS = 60 * 86_400_000;

function checkSchedule(
  project: string,
  settings: Settings,
  { schedule, now }: { readonly schedule: Schedule; readonly now: number },
): Finding {
  const name = `${schedule.name} (${project})`;
  const moments = comingRuns(schedule, now);
  const [first] = moments;
  if (first === undefined)
    return {
      name,
      ok: "warn",
      detail: `"${schedule.expression}" does not come round any more`,
      fix: "correct its cron fields in nightshift.yaml",
    };
  const detail = `next: ${localTime(first, schedule.timeZone)}`;
  if (schedule.name !== NIGHTLY) return fine(name, `${detail}, ${schedule.pipeline}`);
  const idle = idleDays(settings, moments);
  if (idle.length === 0) return fine(name, `${detail}, ${categoriesAt(settings, first).join(", ")}`);
  return {
    name,
    ok: "warn",
    detail: `${detail}\nnothing is done on ${idle.join(", ")}: no category is scheduled for ${idle.length === 1 ? "that day" : "those days"}`,
    fix: "name some under improve.categories, or leave the day out of improve.schedule",
  };
}

function comingRuns(schedule: Schedule, now: number): readonly number[] {
  const cron = createCron();
  const moments: number[] = [];
  for (let at = cron.next(schedule, now); at !== null && moments.length < MOST_RUNS; at = cron.next(schedule, at)) {
    moments.push(at);
    if (at > now + AHEAD_MS) break;
  }
  return moments;
}

function idleDays(settings: Settings, moments: readonly number[]): readonly Weekday[] {
  const idle = moments.filter((at) => categoriesAt(settings, at).length === 0);
  return [...new Set(idle.map((at) => weekdayAt(at, settings.timeZone)))];
}

function localTime(at: number, timeZone: string): string {
  const form = { weekday: "short", day: "2-digit", month: "short", hour: "2-digit", minute: "2-digit" } as const;
  return `${new Intl.DateTimeFormat("en-GB", { timeZone, ...form }).format(at)} ${timeZone}`;
}

/** A name that nobody fills in reaches the agent as it stands. */
async function checkPrompts(
  project: string,
  { improve, roles }: Settings,
  read: (role: (typeof ROLES)[number]) => Promise<string>,
): Promise<readonly Finding[]> {
  const own = Object.keys(improve.variables);
  const known = [...TEMPLATE_VARIABLES, ...own];
  const sentences = await Promise.all(
    ROLES.map(async (role) => {
      // A prompt that cannot be read has a finding of its own.
      const text = await read(role).catch(() => "");
      return unknownVariables(`${text}\n${roles[role].append}`, own).map(
        (name) => `the prompt of ${role} uses {{${name}}}, which nobody fills in.${didYouMean(name, known)}`,
      );
    }),
  );
  if (sentences.flat().length === 0) return [];
  const fix = "correct the name, or define it under improve.variables; docs/improve.md lists those there are";
  return [{ name: `prompts (${project})`, ok: "warn", detail: sentences.flat().join("\n"), fix }];
}
