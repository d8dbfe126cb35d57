import { join } from "node:path";
import { createMcpServers } from "../../adapters/mcp/mcp-servers.ts";
import type { RunInSandbox } from "../../adapters/mcp/list-tools.ts";
import { prepareSocketPath } from "../../adapters/process/socket-path.ts";
import { sandboxes } from "../../adapters/sandboxes/index.ts";
import { runConfined } from "../../adapters/sandboxes/run-confined.ts";
import type { SandboxMode } from "../../core/settings/settings.ts";
import type { McpServers } from "../../ports/mcp.ts";
import { sandboxLimits } from "./wire-sandbox.ts";

interface McpParams {
  readonly home: string;
  readonly mode: SandboxMode;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function wireMcp({ home, mode, env }: McpParams): McpServers {
  return createMcpServers({ home, mode, env, limitsFor: sandboxLimits(), run: createRunner(home) });
}

const GRACE_MS = 1_000;

function createRunner(home: string): RunInSandbox {
  return async ({ mode, policy, argv, timeoutMs, dir }) => {
    const denials = new Set<string>();
    const confinement = await sandboxes[mode].open(policy, argv, {
      dir,
      socket: `${prepareSocketPath(home, dir)}.out`,
      cache: join(home, "cache", "sandbox"),
      run: `mcp ${dir}`,
      onDenied: ({ sentence }) => denials.add(sentence),
    });
    try {
      const { stdout, stderr, status } = await runConfined(confinement.command, { timeoutMs, graceMs: GRACE_MS });
      return { stdout, stderr, denials: [...denials], problem: confinement.problem(status, stderr) };
    } finally {
      await confinement.close();
    }
  };
}
