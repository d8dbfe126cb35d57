import { existsSync } from "node:fs";
import { join } from "node:path";
import { writeCheckoutFile } from "../../config/files/write-checkout-file.ts";
import { detectProject, type DetectedProject } from "../../daemon/detect/detect.ts";
import { findRegistryHosts } from "../../daemon/detect/detect-registry.ts";
import { renderInitConfig } from "../../daemon/detect/detect-render.ts";
import { escapedLine } from "../../core/text/terminal-text.ts";
import { acceptFiles, type AcceptResult } from "../project/accept-files.ts";
import { confirm } from "../ask.ts";
import { checkSetup } from "../project/check-setup.ts";
import { connect } from "../daemon/connect.ts";
import { printResult, type CliContext } from "../context.ts";
import { copyableWord, PLACEHOLDER } from "../copyable.ts";
import { formatNextSteps } from "../print/task/next-steps.ts";
import { recordPath } from "../record-path.ts";

export interface InitOptions {
  readonly force?: boolean;
  readonly url?: string;
  readonly yes?: boolean;
  /** `--no-run` sets it to false. */
  readonly run?: boolean;
}

export async function init(context: CliContext, options: InitOptions): Promise<void> {
  const { url } = options;
  // Runs concurrently, because the startup files of some login shells take seconds.
  const recorded = recordPath(context);
  try {
    await (url === undefined ? initCheckout(context, options) : initUrl(context, url));
  } finally {
    await recorded;
  }
}

async function initCheckout(
  context: CliContext,
  { force = false, yes = false, run = true }: InitOptions,
): Promise<void> {
  const detected = await detectProject(context.cwd, { env: context.env });
  const file = join(detected.dir, "nightshift.yaml");
  const isNew = await writeInitConfig(context, detected, { file, force, yes });
  if (!isNew) context.progress("nightshift.yaml already exists and was not changed. Use --force to overwrite it.\n");
  for (const note of isNew ? notes(detected, context.env) : []) context.progress(`Note: ${note}\n`);
  const client = await connect(context);
  const found = await acceptFiles(context, client, {
    location: { path: detected.dir, url: null },
    generated: isNew,
    yes,
  });
  const { project, accepted } = found;
  const findings = accepted ? await checkSetup(context, client, { project: project.name, run }) : [];
  printResult(context, { project, file, written: isNew, is_accepted: accepted, findings }, () =>
    describe(found, { file, isNew }),
  );
  const hasAgent = detected.agents.length > 0 || detected.configuredAgent !== null || !isNew;
  context.progress(formatNextSteps(accepted ? firstSteps(hasAgent) : ["nightshift trust"]));
}

function firstSteps(hasAgent: boolean): readonly string[] {
  if (!hasAgent) return ["nightshift agents"];
  return ["nightshift improve --category docs --dry-run", `nightshift submit --pipeline chore --wait "${PLACEHOLDER}"`];
}

/** Returns false if the file exists and was not overwritten. */
async function writeInitConfig(
  context: CliContext,
  detected: DetectedProject,
  { file, force, yes }: { readonly file: string; readonly force: boolean; readonly yes: boolean },
): Promise<boolean> {
  if (!force && existsSync(file)) return false;
  const hosts = await findRegistryHosts(detected.tools.setup, detected.dir);
  const isGranted = hosts.length > 0 && (yes || (context.interactive && (await confirmHosts(hosts))));
  // A file of the repository can name the registry, and with --yes no question shows it.
  if (isGranted && yes) context.progress(`Note: Agents, checks and set-up may connect to ${hosts.join(", ")}.\n`);
  return writeCheckoutFile(file, renderInitConfig(detected, { hosts, isGranted }), { overwrite: force });
}

function confirmHosts(hosts: readonly string[]): Promise<boolean> {
  return confirm(
    `The set-up command downloads packages. Allow agents, checks and set-up to connect to ${hosts.join(", ")}?`,
  );
}

function describe(
  { project, accepted }: AcceptResult,
  { file, isNew }: { readonly file: string; readonly isNew: boolean },
): string {
  return [
    isNew ? `Wrote ${escapedLine(file)}. Review it and commit it with your project.` : `Read ${escapedLine(file)}.`,
    `Project ${project.name}: default branch ${project.default_branch}, remote ${escapedLine(project.remote)}`,
    ...(accepted ? [] : ["The permissions that its files request were not accepted."]),
    "",
  ].join("\n");
}

async function initUrl(context: CliContext, url: string): Promise<void> {
  const client = await connect(context);
  const { project, accepted } = await acceptFiles(context, client, {
    location: { path: null, url },
    generated: true,
    yes: false,
  });
  printResult(
    context,
    { project, file: null, written: false, is_accepted: accepted },
    () => `Registered project ${project.name} (default branch ${project.default_branch}).\n`,
  );
  await warnAboutRemote(context, url);
  const name = copyableWord(project.name);
  context.progress(formatNextSteps([`nightshift submit --project ${name} --pipeline chore --wait "${PLACEHOLDER}"`]));
}

/** The project stays registered, because the network or a key may be missing only now. */
async function warnAboutRemote(context: CliContext, url: string): Promise<void> {
  const { checkRemote } = await import("../../daemon/doctor/doctor-forge.ts");
  for (const { ok, detail, fix } of await checkRemote(url))
    if (ok !== "yes")
      context.progress(`Warning: ${escapedLine(detail)}${fix === null ? "" : ` ${escapedLine(fix)}`}\n`);
}

function notes(detected: DetectedProject, env: CliContext["env"]): readonly string[] {
  const { agents, configuredAgent, tools, remote, dir, detached, shallow, forge } = detected;
  return [
    ...(configuredAgent === null ? [] : [`The agent ${configuredAgent} from config.yaml is used.`]),
    ...(agents.length === 0 && configuredAgent === null
      ? [
          'No agent CLI was found on PATH. Run "nightshift agents" to see how to install one, or configure your own program under "agents" with "kind: command".',
        ]
      : []),
    ...(Object.keys(tools.checks).length === 0
      ? ["No checks were found. Without checks, nothing verifies a change before a person reviews it."]
      : []),
    ...(forge !== null && (env[forge.tokenEnv] ?? "") === ""
      ? [
          `${forge.tokenEnv} is not set, so Nightshift opens change requests with your own login. Run "nightshift doctor" to test it, or "nightshift auth add ${forge.tokenEnv}" to store a token.`,
        ]
      : []),
    ...(remote === dir ? ["The repository has no remote. Finished branches are pushed into this repository."] : []),
    ...(detached ? ["This checkout is on a detached HEAD. Nightshift works with that."] : []),
    ...(shallow ? ["This checkout is a shallow clone. Nightshift works from its remote."] : []),
  ];
}
