import type { Settings } from "../../core/settings/settings.ts";

/**
 * The settings for a task that runs code of a change request, whose author may be a stranger. The code gets no network, no
 * files of the person's checkout, and nothing outside of its workspace to write to. Only our own sandbox keeps it away from the
 * daemon's files and tokens, so without it the checks do not run.
 */
export function limitForForeignCode(settings: Settings): Settings {
  const { sandbox, workspace, checks } = settings;
  return {
    ...settings,
    checks: sandbox.mode === "enforce" ? checks : [],
    sandbox: { ...sandbox, write: [], network: [], privateHosts: [] },
    workspace: { ...workspace, copy: [], link: [] },
  };
}
