import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { detectProject, type DetectedProject } from "../../daemon/detect/detect.ts";
import { renderInitConfig } from "../../daemon/detect/detect-render.ts";
import { acceptFiles, type Accepted } from "../accept-files.ts";
import { connect } from "../connect.ts";
import { answer, type CliContext } from "../context.ts";
import { recordPath } from "../record-path.ts";

export interface InitOptions {
  readonly force?: boolean;
  readonly url?: string;
  readonly yes?: boolean;
}

export async function init(context: CliContext, { force = false, url, yes = false }: InitOptions): Promise<void> {
  // Beside the rest: the start files of some people's shells take seconds.
  const recorded = recordPath(context);
  try {
    await (url === undefined ? initCheckout(context, force, yes) : initUrl(context, url));
  } finally {
    await recorded;
  }
}

async function initCheckout(context: CliContext, force: boolean, yes: boolean): Promise<void> {
  const detected = await detectProject(context.cwd, { env: context.env });
  const file = join(detected.dir, "nightshift.yaml");
  const isNew = force || !existsSync(file);
  if (isNew) writeFileSync(file, renderInitConfig(detected));
  else context.tell("nightshift.yaml is already there and stays as it is (--force writes it anew)\n");
  for (const note of isNew ? notes(detected, context.env) : []) context.tell(`note: ${note}\n`);
  const client = await connect(context);
  const found = await acceptFiles(context, client, { place: { path: detected.dir, url: null }, own: isNew, yes });
  answer(context, { project: found.project, file, written: isNew, is_accepted: found.accepted }, () =>
    describe(found, { file, isNew }),
  );
}

function describe(
  { project, accepted }: Accepted,
  { file, isNew }: { readonly file: string; readonly isNew: boolean },
): string {
  return [
    isNew ? `wrote ${file}: look it over, and commit it with your project` : `read ${file}`,
    `project ${project.name}: default branch ${project.default_branch}, remote ${project.remote}`,
    accepted
      ? 'next: nightshift submit --pipeline chore "…" --wait, or nightshift improve --category docs --dry-run'
      : "its files are not accepted: nightshift trust shows what they ask for",
    "",
  ].join("\n");
}

async function initUrl(context: CliContext, url: string): Promise<void> {
  const client = await connect(context);
  const { project, accepted } = await acceptFiles(context, client, {
    place: { path: null, url },
    own: true,
    yes: false,
  });
  answer(
    context,
    { project, file: null, written: false, is_accepted: accepted },
    () => `project ${project.name} is registered: default branch ${project.default_branch}\n`,
  );
}

function notes(detected: DetectedProject, env: CliContext["env"]): readonly string[] {
  const { agents, configuredAgent, tools, remote, dir, detached, shallow, forge } = detected;
  return [
    ...(configuredAgent === null ? [] : [`config.yaml names the agent ${configuredAgent}, which is used`]),
    ...(agents.length === 0 && configuredAgent === null
      ? [
          "no agent CLI was found on PATH: nightshift agents says how to get one, or name a program of your own under agents, as kind: command",
        ]
      : []),
    ...(Object.keys(tools.checks).length === 0
      ? ["no checks were found: without any, only a person judges a change"]
      : []),
    ...(forge !== null && (env[forge.tokenEnv] ?? "") === ""
      ? [
          `${forge.tokenEnv} is not set: change requests are opened with the token in it, so set it where the daemon starts`,
        ]
      : []),
    ...(remote === dir ? ["there is no remote: finished branches are pushed into this repository"] : []),
    ...(detached ? ["this checkout is on no branch; that does not matter to Nightshift"] : []),
    ...(shallow ? ["this checkout is shallow; Nightshift works from its remote"] : []),
  ];
}
