import type { ClientContext } from "@agentclientprotocol/sdk";
import { AUTH_REQUIRED, codeOf, SessionUnknownError } from "./errors.ts";
import { fieldsOf, type Fields, listOf, textOf } from "./fields.ts";
import type { AcpRules } from "./rules.ts";

export interface OpenSession {
  readonly id: string;
  /** Settings that could not be applied. The run continues without them. */
  readonly warnings: readonly string[];
}

/** Initializes the connection and opens a new session, or resumes that of an earlier run. */
export async function openSession(agent: ClientContext, rules: AcpRules): Promise<OpenSession> {
  const initialized = fieldsOf(
    await withTimeout(
      rules.startTimeoutMs,
      "did not answer `initialize`",
      sendRequest(agent, "initialize", {
        protocolVersion: 1,
        clientInfo: { name: "nightshift", version: "1" },
        // Agents work better with direct access to the workspace than through their client.
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      }),
    ),
  );
  const open = () =>
    withTimeout(2 * rules.startTimeoutMs, "did not open a session", startSession(agent, initialized, rules));
  const answer = await open().catch(async (error: unknown) => {
    if (codeOf(error) !== AUTH_REQUIRED || !(await authenticate(agent, initialized))) throw error;
    return open();
  });
  const id = rules.session.kind === "resume" ? rules.session.id : textOf(answer["sessionId"]);
  if (id === null) throw new Error("The agent opened a session without an id.");
  return { id, warnings: await configure(agent, { id, answer, rules }) };
}

async function startSession(agent: ClientContext, initialized: Fields, rules: AcpRules): Promise<Fields> {
  const params = {
    cwd: rules.workspace,
    mcpServers: listMcpServers(rules),
    // Makes claude's adapter ignore hooks and MCP servers of the repository. Other agents ignore this field.
    _meta: { claudeCode: { options: { settingSources: [] } } },
  };
  if (rules.session.kind === "new") return fieldsOf(await sendRequest(agent, "session/new", params));
  const capabilities = fieldsOf(initialized["agentCapabilities"]);
  const canResume = fieldsOf(capabilities["sessionCapabilities"])["resume"] !== undefined;
  if (!canResume && capabilities["loadSession"] !== true)
    throw new SessionUnknownError("The agent cannot resume sessions of earlier runs.");
  try {
    // Loading replays the whole session, resuming does not.
    const method = canResume ? "session/resume" : "session/load";
    return fieldsOf(await sendRequest(agent, method, { ...params, sessionId: rules.session.id }));
  } catch (error) {
    if (codeOf(error) === AUTH_REQUIRED) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SessionUnknownError(`The agent cannot resume the session ${rules.session.id}: ${reason}`);
  }
}

function listMcpServers({ reportServer, mcpServers = [] }: AcpRules): readonly unknown[] {
  const report = reportServer === null ? [] : [{ name: "nightshift", server: reportServer }];
  return [...report, ...mcpServers].map(({ name, server: { command, args, env } }) => ({
    name,
    command,
    args,
    env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
  }));
}

/** Authenticates with an API key from the environment. All other methods need a person. */
async function authenticate(agent: ClientContext, initialized: Fields): Promise<boolean> {
  const methodId = listOf(initialized["authMethods"])
    .map((method) => textOf(fieldsOf(method)["id"]))
    .find((id) => id !== null && /api[-_]?key/i.test(id));
  if (methodId === undefined) return false;
  await sendRequest(agent, "authenticate", { methodId });
  return true;
}

interface Opened {
  readonly id: string;
  readonly answer: Fields;
  readonly rules: AcpRules;
}

async function configure(agent: ClientContext, opened: Opened): Promise<readonly string[]> {
  const { model, mayWrite } = opened.rules;
  const warnings: string[] = [];
  if (model !== null && !(await selectModel(agent, opened, model).catch(() => false)))
    warnings.push(`The agent does not offer the model ${model}. It uses its default model instead.`);
  // The agent's own sandbox does not work inside ours and would deny every command.
  if (mayWrite) await selectOption(agent, opened, "mode", (value) => value === "agent-full-access").catch(() => false);
  return warnings;
}

async function selectModel(agent: ClientContext, opened: Opened, model: string): Promise<boolean> {
  if (await selectOption(agent, opened, "model", (value) => value === model || value.endsWith(`/${model}`)))
    return true;
  // Older protocol versions have no config options.
  const models = listOf(fieldsOf(opened.answer["models"])["availableModels"]);
  if (!models.some((each) => fieldsOf(each)["modelId"] === model)) return false;
  await sendRequest(agent, "session/set_model", { sessionId: opened.id, modelId: model });
  return true;
}

/** Sets the option of this category to the first matching value. Returns false if there is none. */
async function selectOption(
  agent: ClientContext,
  { id, answer }: Opened,
  category: string,
  fits: (value: string) => boolean,
): Promise<boolean> {
  const option = listOf(answer["configOptions"])
    .map(fieldsOf)
    .find((each) => each["category"] === category && each["type"] === "select");
  // Options may be grouped.
  const values = listOf(option?.["options"])
    .map(fieldsOf)
    .flatMap((each) => [each, ...listOf(each["options"]).map(fieldsOf)])
    .flatMap((each) => textOf(each["value"]) ?? []);
  const value = values.find(fits);
  if (option === undefined || value === undefined) return false;
  if (option["currentValue"] === value) return true;
  await sendRequest(agent, "session/set_config_option", { sessionId: id, configId: option["id"], value });
  return true;
}

async function withTimeout<T>(ms: number, problem: string, response: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The agent ${problem} within ${ms / 1000} seconds.`)), ms);
  });
  try {
    return await Promise.race([response, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Sends an untyped request: the SDK's types promise a response that agents may not send. */
export function sendRequest(agent: ClientContext, method: string, params: unknown): Promise<unknown> {
  return agent.request(method, params);
}
