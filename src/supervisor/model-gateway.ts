import type { Handed, StoredJob } from "../adapters/process/job-files.ts";
import { UserError } from "../core/text/errors.ts";
import { createRedactor } from "../policy/secrets/redact.ts";
import type { GatewayPlan } from "../ports/gateway.ts";
import type { JobCommand } from "../ports/supervisor.ts";
import type { AppendFile } from "./output/append-file.ts";
import type { Output } from "./output/output.ts";
import { toJson } from "./output/render.ts";

/** The gateway beside one command, if it has one. */
export interface ModelGateway {
  /** The command, told where its gateway is. */
  readonly command: JobCommand;
  /** Aborts when a request was refused for the budget's sake. */
  readonly refused: AbortSignal;
  close(): Promise<void>;
}

interface GatewayParams {
  readonly job: StoredJob;
  readonly command: JobCommand;
  readonly handed: Pick<Handed, "keys" | "redact">;
  readonly transcript: AppendFile;
  readonly output: Output;
}

/** Where it is, seen from inside; the same for every sandbox. */
const INSIDE = /http:\/\/127\.0\.0\.1:3129(?!\d)/g;

export async function openModelGateway(params: GatewayParams): Promise<ModelGateway> {
  const { job, command, handed, transcript, output } = params;
  const plan = command.gateway;
  const refused = new AbortController();
  if (plan === null) return { command, refused: refused.signal, close: () => Promise.resolve() };
  // Loaded only by those who need it: most supervisors have no model to look after.
  const { openGateway } = await import("../adapters/gateway/gateway.ts");
  // The command names the model it asks for, with whatever it likes.
  const { redact } = createRedactor(handed.redact);
  const socket = job.sandbox === "enforce" ? `${job.socket}.gw` : null;
  const { port, close } = await openGateway({
    plan,
    key: findKey(plan, handed.keys),
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
  const told = port === null ? { ...command, policy: { ...command.policy, gateway: socket } } : moved(command, port);
  return { command: told, refused: refused.signal, close };
}

function findKey({ keyName }: GatewayPlan, keys: Handed["keys"]): string {
  const key = Object.hasOwn(keys, keyName) ? keys[keyName] : undefined;
  if (key === undefined || key === "")
    throw new UserError("unavailable", `There is no key for the model: ${keyName} is empty or was not handed over.`);
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UserError("unavailable", `${keyName} is no key: there are spaces, line breaks or other signs in it.`);
  return key;
}

/** Without a network of its own the command shares the machine's ports: it gets whichever is free. */
function moved(command: JobCommand, port: number): JobCommand {
  const move = (text: string): string => text.replace(INSIDE, `http://127.0.0.1:${port}`);
  const [program, ...args] = command.argv;
  const env = Object.entries(command.policy.env).map(([name, value]) => [name, move(value)]);
  return {
    ...command,
    argv: [program, ...args.map(move)],
    policy: { ...command.policy, env: Object.fromEntries(env) },
  };
}
