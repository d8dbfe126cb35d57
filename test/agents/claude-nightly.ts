import { dirname } from "node:path";
import { onTestFinished } from "vitest";
import { z } from "zod";
import type { Run } from "../../src/core/task/run.ts";
import type { Role } from "../../src/core/task/role.ts";
import { openFakeAnthropic, type FakeAnthropic, type ToolResult } from "../../src/testing/models/fake-anthropic.ts";
import type { ToolUse } from "../../src/testing/models/fake-turn.ts";
import { openNightly, type Nightly, type NightlyOptions } from "../support/nightly.ts";
import { programDirOf, REAL_AGENTS, useTools } from "./real-agents.ts";

const { claude } = REAL_AGENTS;

/** Script of one run: these tools in one turn, then its report. */
export interface RunScript {
  readonly role: Role;
  readonly tools: readonly ToolUse[];
  readonly report: Readonly<Record<string, unknown>>;
}

/** Everything that the model received in one run. */
export interface RunInput extends Pick<RunScript, "role"> {
  readonly prompt: string;
  readonly model: string | undefined;
  /** Names of its tools, except the one for reporting. */
  readonly tools: readonly string[];
  /** Results of the scripted tools, in order. */
  readonly results: readonly ToolResult[];
}

export interface ClaudeNightly extends Nightly {
  readonly model: FakeAnthropic;
  readonly key: string;
  /** The agent runs in the order of their scripts, each with what its model received. */
  runInputs(): readonly RunInput[];
  agentRuns(task: string): Promise<readonly Run[]>;
}

/** Turns per run: tools, report, final message. */
const TURNS = 3;
const REPORT = "mcp__nightshift__report_outcome";

/** Generous, for a machine with much other load. */
const TIMEOUT_MS = 240_000;

/** A sandboxed night of the real claude with a scripted model, on a forge that git pushes to over http. */
export async function openClaudeNightly(
  scripts: readonly RunScript[],
  options: NightlyOptions,
): Promise<ClaudeNightly> {
  const model = await openFakeAnthropic({
    turns: scripts.flatMap(({ tools, report }) => [
      useTools(...tools),
      useTools(claude.report(report)),
      { text: "Done." },
    ]),
  });
  const key = ["sk", "real", "nightly", "c0ffee5eed"].join("-");
  const night = await openNightly({
    ...options,
    overHttp: true,
    agentName: claude.kind,
    userSettings: "sandbox: { mode: enforce }\n",
    env: {
      PATH: [programDirOf(claude), dirname(process.execPath), process.env["PATH"]].join(":"),
      [claude.keyName]: key,
      [claude.addressName]: model.url,
    },
    timeoutMs: TIMEOUT_MS,
  });
  onTestFinished(async () => {
    await night.close();
    await model.close();
  });
  return Object.assign(night, {
    model,
    key,
    runInputs: () => scripts.map(({ role }, index) => ({ role, ...readRunInput(model, index * TURNS) })),
    agentRuns: async (task: string) => (await night.runs(task)).filter(({ step }) => step === "agent"),
  });
}

function readRunInput({ requests }: FakeAnthropic, first: number): Omit<RunInput, "role"> {
  const [request, nextRequest] = [first, first + 1].map((turn) => requests.find((each) => each.turn === turn));
  if (request === undefined || nextRequest === undefined)
    throw new Error(`Turn ${first} and the next one were not requested.`);
  return {
    prompt: promptOf(request.body.messages),
    model: request.body.model,
    tools: (request.body.tools ?? []).map(({ name }) => name).filter((name) => name !== REPORT),
    results: resultsOf(nextRequest.body.messages),
  };
}

type Messages = readonly { readonly content: unknown }[];

/** Everything the model received before its first action. A resumed session would have more than one message. */
function promptOf([first, ...others]: Messages = []): string {
  if (first === undefined || others.length > 0) throw new Error("The run did not start a new session.");
  return textOf(TEXTS.parse(first.content));
}

/** In the order of the tool calls: they run concurrently, and claude reports the first to end first. */
function resultsOf(messages: Messages = []): readonly ToolResult[] {
  const [toolUses, toolResults] = messages.slice(-2);
  const results = RESULTS.parse(toolResults?.content);
  return USES.parse(toolUses?.content).flatMap(({ id }) => {
    const result = results.find(({ tool_use_id: of }) => of === id);
    return result?.content === undefined ? [] : [{ text: textOf(result.content), isError: result.is_error === true }];
  });
}

const TEXTS = z.union([z.string(), z.array(z.object({ text: z.string() }))]);
const USES = z.array(z.object({ id: z.string().optional() }));
const RESULTS = z.array(
  z.object({ tool_use_id: z.string().optional(), is_error: z.boolean().optional(), content: TEXTS.optional() }),
);

function textOf(texts: z.infer<typeof TEXTS>): string {
  return typeof texts === "string" ? texts : texts.map(({ text }) => text).join("\n");
}
