import type { SandboxMode } from "../../core/settings/settings.ts";
import { createCommands } from "../../engine/commands/commands.ts";
import { createSessions } from "../../engine/commands/sessions.ts";
import { previewDraft } from "../../engine/commands/preview-draft.ts";
import { previewTask } from "../../engine/commands/preview-task.ts";
import { createMergeOrder } from "../../engine/merge/merge-order.ts";
import type { Outage } from "../../engine/reconcile/outages.ts";
import { readCheckLog } from "../../engine/report/read-check-log.ts";
import { readTaskPipeline } from "../../engine/report/read-task-pipeline.ts";
import { readDiff } from "../../engine/report/read-diff.ts";
import { listPipelines } from "../../engine/report/list-pipelines.ts";
import { readReport } from "../../engine/report/read-report.ts";
import { listBudgets } from "../../engine/schedule/list-budgets.ts";
import { listUpcoming } from "../../engine/schedule/upcoming.ts";
import type { HttpDeps } from "../../http/deps.ts";
import { listModelVariables } from "../../policy/access/model-access.ts";
import { listSecretNames } from "../../core/settings/settings.ts";
import { createChannelTests } from "./wire-channel-tests.ts";
import { listKeys } from "../list-keys.ts";
import { createHookVerifier } from "./wire-forges.ts";
import { createTranscriptParser } from "./wire-transcripts.ts";
import { findAgents } from "./wire-agents.ts";
import type { Wired } from "./wire.ts";

export interface DaemonFacts {
  readonly ownerToken: string;
  readonly version: string;
  readonly startedAt: number;
  readonly stop: (force: boolean) => void;
  /** Polls a project's change requests now instead of at the next regular poll. */
  readonly pollForge: (project: string) => void;
  /** Why the engine cannot work at the moment. */
  readonly findProblem: () => string | null;
  readonly listOutages: () => readonly Outage[];
  /** Why the daemon does not listen on the expected port. */
  readonly findPortProblem: () => string | null;
}

/** Connects the HTTP API to the daemon. */
export function createHttpDeps(wired: Wired, facts: DaemonFacts): HttpDeps {
  const { registry, ports, user, limits, output, sandbox } = wired;
  const commands = createCommands(ports);
  return {
    commands: {
      ...commands,
      // Apply a project's limits as soon as it is registered or trusted.
      async addProject(source, actor) {
        const added = await commands.addProject(source, actor);
        await limits.refresh();
        return added;
      },
      async acceptTrust(source, hash, actor) {
        const accepted = await commands.acceptTrust(source, hash, actor);
        await limits.refresh();
        return accepted;
      },
    },
    sessions: createSessions(ports),
    night: {
      upcoming: (project, until) => listUpcoming(ports, project, until),
      budgets: (project) => listBudgets(ports, project),
      report: (query) => readReport(ports, query),
      preview: (draft, actor) => previewTask(ports, draft, actor),
    },
    previewDraft: (draft, actor) => previewDraft(ports, draft, actor),
    store: ports.store,
    runFiles: ports.runFiles,
    channels: createChannelTests({ notifiers: registry.notifiers, channels: wired.channels, ports }),
    listPipelines: (projects) => listPipelines(ports, projects),
    readTaskPipeline: (task) => readTaskPipeline(ports, task),
    readCheckLog: (run, query) => readCheckLog(ports, run, query),
    async readPrompt(run) {
      const prompt = await ports.runFiles.readPrompt(run);
      return prompt === null ? null : ports.secrets.redact(prompt);
    },
    readDiff: (task, since) => readDiff(ports, task, since),
    parseTranscript: createTranscriptParser(ports),
    onOutput: output.listen,
    agents: () => findAgents(registry.agents, ports),
    keys: async () => listKeys({ home: ports.host.home, env: process.env, names: await listKeyNames(wired) }),
    // Loaded on demand: the daemon rarely needs it, and it has many imports.
    doctor: async (path, options) => (await import("./wire-doctor.ts")).checkFromDaemon(wired, path, options),
    checkSetup: async (project, options) =>
      (await import("./wire-doctor.ts")).checkProjectSetup(wired, project, options),
    mergeOrder: createMergeOrder(ports),
    readSettings: (project) => ports.projects.settings(project),
    pendingTrust: (project, accepted) => ports.projects.pendingTrust(project, accepted),
    verifyHook: createHookVerifier(registry.forges, ports, facts.pollForge),
    stop: facts.stop,
    info: () => ({
      pid: process.pid,
      version: facts.version,
      startedAt: facts.startedAt,
      sandbox: user.sandboxMode,
      timeZone: user.timeZone,
      outages: facts.listOutages(),
      problems: [
        ...[facts.findPortProblem(), facts.findProblem()].filter((problem) => problem !== null),
        ...sandboxProblems(user.sandboxMode, sandbox.lastProblem()),
        ...limits.problems(),
      ],
    }),
    owner: ports.host.owner,
    ownerToken: facts.ownerToken,
    clock: ports.clock,
    log: ports.log,
  };
}

/** Every variable that a model provider or a registered project uses for a key. */
async function listKeyNames({ ports, registry, user }: Wired): Promise<readonly string[]> {
  const names = new Set(listModelVariables());
  const common = { secrets: {}, mcp: {}, agents: {}, forge: null, notify: user.notify };
  for (const project of await ports.store.projects.listProjects()) {
    const settings = await ports.projects.lastGood(project).catch(() => common);
    for (const name of listSecretNames(registry, settings)) names.add(name);
  }
  for (const name of listSecretNames(registry, common)) names.add(name);
  return [...names];
}

function sandboxProblems(mode: SandboxMode, problem: string | null): readonly string[] {
  switch (mode) {
    case "none":
      return ["sandbox.mode is none: agents and checks run without a sandbox, with all your permissions"];
    case "external":
      return ["sandbox.mode is external: Nightshift relies on the sandbox that you run it in"];
    case "enforce":
      return problem === null ? [] : [problem];
  }
}
