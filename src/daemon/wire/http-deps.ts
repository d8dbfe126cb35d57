import type { SandboxMode } from "../../core/task/settings.ts";
import { createCommands } from "../../engine/commands/commands.ts";
import { foresee } from "../../engine/nightly/foresee.ts";
import { listBudgets } from "../../engine/schedule/list-budgets.ts";
import { listUpcoming } from "../../engine/schedule/upcoming.ts";
import type { HttpDeps } from "../../http/deps.ts";
import { findPlace } from "../find-place.ts";
import { createHookJudge } from "./wire-forge-hooks.ts";
import { createTranscriptParser } from "./wire-transcripts.ts";
import { findAgents } from "./wire-agents.ts";
import type { Wired } from "./wire.ts";

export interface DaemonFacts {
  readonly owner: string;
  readonly ownerToken: string;
  readonly version: string;
  readonly startedAt: number;
  readonly stop: (force: boolean) => void;
  /** Reads a project's change requests back out of turn. */
  readonly lookAgain: (project: string) => void;
}

/** What the API is given of the daemon. */
export function httpDeps({ ports, user, limits, output, projectFiles, sandbox }: Wired, facts: DaemonFacts): HttpDeps {
  const commands = createCommands(ports);
  return {
    commands: {
      ...commands,
      // A project's own limits hold from the moment it is registered.
      async registerProject(project, actor) {
        const saved = await commands.registerProject(project, actor);
        await limits.refresh();
        return saved;
      },
    },
    night: {
      upcoming: (project, until) => listUpcoming(ports, project, until),
      budgets: (project) => listBudgets(ports, project),
      preview: (draft, actor) => foresee(ports, draft, actor),
    },
    store: ports.store,
    runFiles: ports.runFiles,
    parseTranscript: createTranscriptParser(ports),
    onOutput: output.listen,
    agents: () => findAgents(ports),
    findProject: (place) => findPlace(place, ports.hostEnv),
    pendingTrust: (project, accepted) => projectFiles.pendingTrust(project, accepted),
    judgeHook: createHookJudge(ports, facts.lookAgain),
    stop: facts.stop,
    info: () => ({
      pid: process.pid,
      version: facts.version,
      startedAt: facts.startedAt,
      sandbox: user.sandboxMode,
      timeZone: user.timeZone,
      problems: [...sandboxProblems(user.sandboxMode, sandbox.known()), ...limits.problems()],
    }),
    owner: facts.owner,
    ownerToken: facts.ownerToken,
    clock: ports.clock,
    log: ports.log,
  };
}

function sandboxProblems(mode: SandboxMode, problem: string | null): readonly string[] {
  switch (mode) {
    case "none":
      return ["sandbox.mode is none: agents and checks run unconfined, with your rights"];
    case "external":
      return ["sandbox.mode is external: Nightshift relies on the wall that you built around it"];
    case "enforce":
      return problem === null ? [] : [problem];
  }
}
