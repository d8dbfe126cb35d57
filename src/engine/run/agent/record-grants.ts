import type { GrantedDirectory, RecordedGrants } from "../../../core/task/run-grants.ts";
import type { RunSettings } from "../../../core/settings/resolve-run.ts";
import type { Role } from "../../../core/task/role.ts";
import type { AgentRun } from "../../../ports/agent.ts";
import type { Job } from "../../../ports/supervisor.ts";
import type { Workspace } from "../../../ports/workspace.ts";
import { grantFor, writablePaths } from "../prepare/sandbox-policy.ts";
import type { StepContext } from "../step-context.ts";

export interface StartedRun {
  readonly role: Role;
  readonly runSettings: RunSettings;
  readonly workspace: Pick<Workspace, "path">;
  readonly job: Job;
  readonly agentRun: Pick<AgentRun, "tools" | "mcpServers">;
}

/** Records what the agent is started with, as people see it later. */
export async function recordGrants(context: StepContext, started: StartedRun): Promise<void> {
  await context.ports.store.tasks.updateRun(context.lease, { granted: describeGrants(context, started) });
}

function describeGrants(context: StepContext, started: StartedRun): RecordedGrants {
  const { runSettings, job, agentRun } = started;
  const [command] = job.commands;
  return {
    limits: {
      timeoutMs: runSettings.timeoutMs,
      maxTurns: runSettings.maxTurns,
      budgetUsd: runSettings.maxBudgetUsd,
    },
    grants: {
      tools: agentRun.tools,
      commands: command?.policy.commands ?? null,
      directories: listDirectories(context, started),
      network: command?.policy.network ?? [],
      secrets: [...(command?.secretNames ?? [])].toSorted(),
      mcp: (agentRun.mcpServers ?? []).map(({ name }) => name),
      sandbox: job.sandbox,
    },
  };
}

function listDirectories(context: StepContext, { role, workspace }: StartedRun): readonly GrantedDirectory[] {
  const granted = grantFor(context, role);
  const writable = [...writablePaths(granted, workspace), ...granted.write];
  const readable = [workspace.path, ...granted.read].filter((path) => !writable.includes(path));
  return [
    ...writable.map((path) => ({ path, access: "write" }) as const),
    ...readable.map((path) => ({ path, access: "read" }) as const),
  ];
}
