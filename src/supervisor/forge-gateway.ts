import type { JobSecrets, StoredJob } from "../adapters/process/job-files.ts";
import { UserError } from "../core/text/errors.ts";
import type { Denial } from "../ports/sandbox.ts";
import type { JobCommand } from "../ports/supervisor.ts";

/** The forge gateway of one command, if it has one. */
export interface ForgeGateway {
  /** The command, whose sandbox can reach the gateway. */
  readonly command: JobCommand;
  close(): Promise<void>;
}

interface ForgeGatewayParams {
  readonly job: Pick<StoredJob, "socket">;
  readonly command: JobCommand;
  readonly keys: JobSecrets["keys"];
  readonly onDenied: (denial: Denial) => void;
}

export async function openForgeGatewayOf({ job, command, keys, onDenied }: ForgeGatewayParams): Promise<ForgeGateway> {
  const plan = command.forgeGateway;
  if (plan === undefined) return { command, close: () => Promise.resolve() };
  const token = Object.hasOwn(keys, plan.keyName) ? keys[plan.keyName] : undefined;
  if (token === undefined) throw new UserError("unavailable", `There is no token for ${plan.project}.`);
  // Loaded on demand, because most supervisors need no gateway.
  const { openForgeGateway } = await import("../adapters/gateway/forge/forge-gateway.ts");
  const socket = `${job.socket}.fg`;
  const { close } = await openForgeGateway({ plan, token, socket, onDenied });
  return { command: { ...command, policy: { ...command.policy, forgeGateway: socket } }, close };
}
