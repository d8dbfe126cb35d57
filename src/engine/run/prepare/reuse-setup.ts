import { isInstallCommand } from "../../../core/change/install-command.ts";
import { newEvent, type EventLevel } from "../../../core/task/event.ts";
import { canonicalJson } from "../../../core/text/canonical-json.ts";
import type { Settings } from "../../../core/settings/settings.ts";
import type { RunPaths } from "../../../ports/run-files.ts";
import type { SetupParams } from "../../../ports/workspace/setup-cache.ts";
import type { CommandContext } from "../step-context.ts";

/** What to do about the set-up of a workspace. */
export interface SetupPlan {
  /** An earlier set-up with the same dependencies was copied, so the command need not run. */
  readonly isDone: boolean;
  /** Where the result of the command can be kept. Null if it must not be kept. */
  readonly key: string | null;
}

const MUST_RUN: SetupPlan = { isDone: false, key: null };

/**
 * Reuses what an earlier set-up installed, if the command only installs dependencies and those are unchanged. Nothing may have
 * run in the workspace.
 */
export async function reuseSetup(context: CommandContext, name: string, { home }: RunPaths): Promise<SetupPlan> {
  const { ports, project, task, settings } = context;
  const { setup: command } = settings.workspace;
  if (command === null || !isInstallCommand(command) || !isOutOfReach(settings)) return MUST_RUN;
  const path = ports.host.env["PATH"] ?? "";
  // Only a set-up that succeeded is kept, so what it could reach does not matter. A reviewed change request has no network.
  const environment = canonicalJson({ sandbox: { ...settings.sandbox, network: [], privateHosts: [] }, path });
  const params: SetupParams = { project: project.name, task: task.id, name, home, command, environment, path };
  try {
    const result = await ports.workspaces.restoreSetup(params);
    if (result.kind === "restored") {
      const summary = "set-up skipped: the dependencies are unchanged, so what was installed before is reused";
      await report(context, "info", summary, { reused: true, kept_at: result.keptAt });
      return { isDone: true, key: null };
    }
    if (result.kind === "damaged")
      await report(context, "warning", `set-up runs again, because what was kept of it is damaged: ${result.reason}`, {
        reused: false,
      });
    return { isDone: false, key: result.key };
  } catch (error) {
    ports.log.warn("an earlier set-up could not be reused", { task: task.id, error: String(error) });
    return MUST_RUN;
  }
}

/** Without the sandbox, an agent could change what is kept. In a folder that it may write to, it could change what is installed. */
function isOutOfReach({ sandbox }: Settings): boolean {
  return sandbox.mode === "enforce" && sandbox.write.length === 0;
}

/** Keeps what set-up made in an untouched workspace of the base commit. Best effort: the next run sets up its own otherwise. */
export async function keepSetup(context: CommandContext, name: string, home: string, key: string): Promise<void> {
  const { ports, project, task } = context;
  try {
    const result = await ports.workspaces.keepSetup({ project: project.name, task: task.id, name, home, key });
    const summary =
      result.kind === "kept"
        ? `set-up is kept for later runs: ${result.files} files, ${Math.ceil(result.bytes / 1e6)} MB`
        : `set-up cannot be reused by later runs: ${result.reason}`;
    await report(context, "debug", summary, { reused: false, kept: result.kind === "kept" });
  } catch (error) {
    ports.log.warn("what set-up made could not be kept", { task: task.id, error: String(error) });
  }
}

/** Measurements of a base commit belong to no task, so they are only logged. */
async function report(
  { ports, task, run }: CommandContext,
  level: EventLevel,
  summary: string,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  if ((await ports.store.tasks.getTask(task.id)) === null) return ports.log.info(summary, { task: task.id });
  const at = ports.clock.now();
  await ports.store.events.appendEvents([
    newEvent({
      at,
      task: task.id,
      run: run.id,
      type: "workspace.setup",
      level,
      summary: ports.secrets.redact(summary),
      data,
    }),
  ]);
}
