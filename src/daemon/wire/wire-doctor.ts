import { existsSync } from "node:fs";
import { isInside } from "../../config/files/read-text.ts";
import { UserError } from "../../core/text/errors.ts";
import { previewFiles } from "../../engine/commands/preview-task.ts";
import { explainNoEligibleFiles } from "../../engine/nightly/eligible-files.ts";
import { NIGHT_WORK } from "../../core/schedule/schedule.ts";
import type { Project } from "../../ports/store.ts";
import { checkUserConfig } from "../doctor/doctor-home.ts";
import { checkEnvironment } from "../doctor/doctor.ts";
import { fine, forNight, type Finding } from "../doctor/doctor-finding.ts";
import type { Wired } from "./wire.ts";

/** The part of `doctor` that only the daemon can answer, with its own environment and data. */
export async function checkFromDaemon({ registry, ports }: Wired, path: string): Promise<readonly Finding[]> {
  const { home, env } = ports.host;
  if (!existsSync(path)) throw new UserError("invalid", `The folder ${path} does not exist.`);
  const [{ config }, projects] = await Promise.all([
    checkUserConfig(home, registry.format),
    ports.store.projects.listProjects(),
  ]);
  const here = projects.find((project) => project.path !== null && isInside(path, project.path)) ?? null;
  const [findings, files] = await Promise.all([
    checkEnvironment({ env, home, config, projects, cwd: path, registry }),
    here === null ? [] : checkNightFiles(ports, here),
  ]);
  // Findings quote the output of other programs.
  return ports.secrets.redact([...findings, ...files]);
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
