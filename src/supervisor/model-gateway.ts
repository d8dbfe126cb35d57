import type { JobSecrets, StoredJob } from "../adapters/process/job-files.ts";
import { UserError } from "../core/text/errors.ts";
import { createRedactor } from "../policy/secrets/redact.ts";
import type { GatewayPlan } from "../ports/gateway.ts";
import type { JobCommand } from "../ports/supervisor.ts";
import type { AppendFile } from "./output/append-file.ts";
import type { Output } from "./output/output.ts";
import { toJson } from "./output/render.ts";

/** The model gateway of one command, if it has one. */
export interface ModelGateway {
  /** The command, configured with the address of its gateway. */
  readonly command: JobCommand;
  /** Aborts when the gateway refuses a request because the budget is used up. */
  readonly refused: AbortSignal;
  close(): Promise<void>;
}

interface GatewayParams {
  readonly job: StoredJob;
  readonly command: JobCommand;
  readonly jobSecrets: Pick<JobSecrets, "keys" | "redact">;
  readonly transcript: AppendFile;
  readonly output: Output;
}

/** Address of the gateway inside any sandbox. */
const SANDBOX_URL = /http:\/\/127\.0\.0\.1:3129(?!\d)/g;

export async function openModelGateway(params: GatewayParams): Promise<ModelGateway> {
  const { job, command, jobSecrets, transcript, output } = params;
  const plan = command.gateway;
  const refused = new AbortController();
  if (plan === null) return { command, refused: refused.signal, close: () => Promise.resolve() };
  // Loaded on demand, because most supervisors need no gateway.
  const { openGateway } = await import("../adapters/gateway/gateway.ts");
  // The command chooses the model name in its requests, so the name may contain a secret.
  const { redact } = createRedactor(jobSecrets.redact);
  const socket = job.sandbox === "enforce" ? `${job.socket}.gw` : null;
  const { port, close } = await openGateway({
    plan,
    key: findKey(plan, jobSecrets.keys),
    socket,
    onUsage(line) {
      const text = redact(line);
      transcript.write(toJson({ at: Date.now(), from: "gateway", command: command.name, text }));
    },
    onNote: (sentence) => output.note(redact(sentence)),
    onExhausted(sentence) {
      output.note(sentence);
      refused.abort();
    },
  });
  const configured =
    port === null ? { ...command, policy: { ...command.policy, gateway: socket } } : replacePort(command, port);
  return { command: configured, refused: refused.signal, close };
}

function findKey({ keyName }: GatewayPlan, keys: JobSecrets["keys"]): string {
  const key = Object.hasOwn(keys, keyName) ? keys[keyName] : undefined;
  if (key === undefined || key === "")
    throw new UserError("unavailable", `There is no API key for the model: ${keyName} is empty or not set.`);
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UserError(
      "unavailable",
      `${keyName} is not a valid API key: it contains spaces, line breaks or other invalid characters.`,
    );
  return key;
}

/** Without its own network, the command shares the machine's ports, so the gateway uses a free one. */
function replacePort(command: JobCommand, port: number): JobCommand {
  const replace = (text: string): string => text.replace(SANDBOX_URL, `http://127.0.0.1:${port}`);
  const [program, ...args] = command.argv;
  const env = Object.entries(command.policy.env).map(([name, value]) => [name, replace(value)]);
  return {
    ...command,
    argv: [program, ...args.map(replace)],
    policy: { ...command.policy, env: Object.fromEntries(env) },
  };
}
