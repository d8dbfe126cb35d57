import type { ClientContext } from "@agentclientprotocol/sdk";
import { AUTH_REQUIRED, codeOf, SessionUnknownError } from "./end.ts";
import { fieldsOf, type Fields, listOf, textOf } from "./fields.ts";
import type { AcpRules } from "./rules.ts";

export interface OpenSession {
  readonly id: string;
  /** What could not be done as the settings want it; the work goes on without. */
  readonly complaints: readonly string[];
}

/** Greets the agent and opens a session, a new one or that of an earlier run. */
export async function openSession(agent: ClientContext, rules: AcpRules): Promise<OpenSession> {
  const hello = fieldsOf(
    await within(
      rules.startMs,
      "did not answer the greeting",
      ask(agent, "initialize", {
        protocolVersion: 1,
        clientInfo: { name: "nightshift", version: "1" },
        // The workspace is a directory like any other: agents do better with it than through their client.
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      }),
    ),
  );
  const open = () => within(2 * rules.startMs, "opened no session", startSession(agent, hello, rules));
  const answer = await open().catch(async (error: unknown) => {
    if (codeOf(error) !== AUTH_REQUIRED || !(await authenticate(agent, hello))) throw error;
    return open();
  });
  const id = rules.session.kind === "resume" ? rules.session.id : textOf(answer["sessionId"]);
  if (id === null) throw new Error("The agent opened a session and gave it no id.");
  return { id, complaints: await configure(agent, { id, answer, rules }) };
}

async function startSession(agent: ClientContext, hello: Fields, rules: AcpRules): Promise<Fields> {
  const params = {
    cwd: rules.workspace,
    mcpServers: mcpServers(rules),
    // Without it claude's adapter runs the hooks and the servers that a repository brings along. Others pass over it.
    _meta: { claudeCode: { options: { settingSources: [] } } },
  };
  if (rules.session.kind === "new") return fieldsOf(await ask(agent, "session/new", params));
  const abilities = fieldsOf(hello["agentCapabilities"]);
  const canResume = fieldsOf(abilities["sessionCapabilities"])["resume"] !== undefined;
  if (!canResume && abilities["loadSession"] !== true)
    throw new SessionUnknownError("The agent can take up no session of an earlier run.");
  try {
    // Loading tells the whole session again, resuming does not.
    const method = canResume ? "session/resume" : "session/load";
    return fieldsOf(await ask(agent, method, { ...params, sessionId: rules.session.id }));
  } catch (error) {
    if (codeOf(error) === AUTH_REQUIRED) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SessionUnknownError(`The agent cannot take up the session ${rules.session.id}: ${reason}`);
  }
}

function mcpServers({ reportServer }: AcpRules): readonly unknown[] {
  if (reportServer === null) return [];
  const { command, args, env } = reportServer;
  return [{ name: "nightshift", command, args, env: Object.entries(env).map(([name, value]) => ({ name, value })) }];
}

/** With a key from the environment; all other ways need a person. */
async function authenticate(agent: ClientContext, hello: Fields): Promise<boolean> {
  const byKey = listOf(hello["authMethods"])
    .map((method) => textOf(fieldsOf(method)["id"]))
    .find((id) => id !== null && /api[-_]?key/i.test(id));
  if (byKey === undefined) return false;
  await ask(agent, "authenticate", { methodId: byKey });
  return true;
}

interface Opened {
  readonly id: string;
  readonly answer: Fields;
  readonly rules: AcpRules;
}

async function configure(agent: ClientContext, opened: Opened): Promise<readonly string[]> {
  const { model, mayWrite } = opened.rules;
  const complaints: string[] = [];
  if (model !== null && !(await chooseModel(agent, opened, model).catch(() => false)))
    complaints.push(`The agent offers no model ${model}; it works with its own choice.`);
  // A sandbox of its own cannot stand inside of ours, and would refuse every command.
  if (mayWrite) await choose(agent, opened, "mode", (value) => value === "agent-full-access").catch(() => false);
  return complaints;
}

async function chooseModel(agent: ClientContext, opened: Opened, model: string): Promise<boolean> {
  if (await choose(agent, opened, "model", (value) => value === model || value.endsWith(`/${model}`))) return true;
  // How it was before there were options.
  const models = listOf(fieldsOf(opened.answer["models"])["availableModels"]);
  if (!models.some((each) => fieldsOf(each)["modelId"] === model)) return false;
  await ask(agent, "session/set_model", { sessionId: opened.id, modelId: model });
  return true;
}

/** Sets the option of this category to the first value that fits; false where none does. */
async function choose(
  agent: ClientContext,
  { id, answer }: Opened,
  category: string,
  fits: (value: string) => boolean,
): Promise<boolean> {
  const option = listOf(answer["configOptions"])
    .map(fieldsOf)
    .find((each) => each["category"] === category && each["type"] === "select");
  // Options may stand in groups.
  const values = listOf(option?.["options"])
    .map(fieldsOf)
    .flatMap((each) => [each, ...listOf(each["options"]).map(fieldsOf)])
    .flatMap((each) => textOf(each["value"]) ?? []);
  const value = values.find(fits);
  if (option === undefined || value === undefined) return false;
  if (option["currentValue"] === value) return true;
  await ask(agent, "session/set_config_option", { sessionId: id, configId: option["id"], value });
  return true;
}

async function within<T>(ms: number, what: string, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The agent ${what} within ${ms / 1000} seconds.`)), ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** By its name as text: the types of the SDK would have an answer be what it need not be. */
export function ask(agent: ClientContext, method: string, params: unknown): Promise<unknown> {
  return agent.request(method, params);
}
