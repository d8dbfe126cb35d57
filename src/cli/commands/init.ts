import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { detectProject } from "../../daemon/detect.ts";
import { renderInitConfig } from "../../daemon/detect-render.ts";
import { connect } from "../connect.ts";
import { answer, type CliContext } from "../context.ts";
import { registerProject } from "../register-project.ts";

export async function init(context: CliContext, options: { readonly force?: boolean; readonly url?: string }): Promise<void> {
  if (options.url !== undefined) return initUrl(context, options.url);
  const detected = await detectProject(context.cwd, { env: context.env });
  const file = join(detected.dir, "nightshift.yaml");
  const isNew = options.force === true || !existsSync(file);
  if (isNew) writeFileSync(file, renderInitConfig(detected));
  else context.tell("nightshift.yaml is already there and stays as it is (--force writes it anew)\n");
  if (detected.shallow) context.tell("note: this checkout is shallow; Nightshift works from its remote\n");
  if (detected.detached) context.tell("note: this checkout is on no branch; that does not matter to Nightshift\n");
  const client = await connect(context);
  const project = await registerProject(context, client, { path: detected.dir, url: null });
  answer(context, { project, file, written: isNew }, () =>
    [
      isNew ? `wrote ${file}: look it over, and commit it with your project` : `read ${file}`,
      `project ${project.name}: default branch ${project.default_branch}, remote ${project.remote}`,
      'next: nightshift submit --pipeline chore "…" --wait',
      "",
    ].join("\n"),
  );
}

async function initUrl(context: CliContext, url: string): Promise<void> {
  const client = await connect(context);
  const project = await registerProject(context, client, { path: null, url });
  answer(context, { project, file: null, written: false }, () => `project ${project.name} is registered: default branch ${project.default_branch}\n`);
}
