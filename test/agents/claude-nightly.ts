import { dirname } from "node:path";
import { onTestFinished } from "vitest";
import { z } from "zod";
import type { Run } from "../../src/core/task/run.ts";
import type { Role } from "../../src/core/task/role.ts";
import { openFakeAnthropic, type FakeAnthropic, type ToolResult } from "../../src/testing/models/fake-anthropic.ts";
import type { ToolUse } from "../../src/testing/models/fake-turn.ts";
import { openNightly, type Nightly, type NightlyOptions } from "../e2e/nightly.ts";
import { folderOf, REAL_AGENTS, using } from "./real-agents.ts";

const { claude } = REAL_AGENTS;

/** What one run does: these tools at once, then its report. */
export interface Part {
  readonly role: Role;
  readonly tools: readonly ToolUse[];
  readonly report: Readonly<Record<string, unknown>>;
}

/** What one run was given, and what it heard. */
export interface Seen extends Pick<Part, "role"> {
  readonly prompt: string;
  readonly model: string | undefined;
  /** The tools that it has, by their own names; the one to report with is left out. */
  readonly tools: readonly string[];
  /** What came of the tools of its part, in their order. */
  readonly results: readonly ToolResult[];
}

export interface ClaudeNightly extends Nightly {
  readonly model: FakeAnthropic;
  readonly key: string;
  /** The runs of agents in the order of the parts, each with what its model was told. */
  seen(): readonly Seen[];
  agentRuns(task: string): Promise<readonly Run[]>;
}

/** Of each part: its tools, its report, its last words. */
const TURNS = 3;
const REPORT = "mcp__nightshift__report_outcome";

/** For a machine with much else to do; on a quiet one nothing comes near it. */
const PATIENCE_MS = 240_000;

/** A night of the real claude inside the wall, its model following the parts, on a forge that git pushes to over http. */
export async function openClaudeNightly(parts: readonly Part[], options: NightlyOptions): Promise<ClaudeNightly> {
  const model = await openFakeAnthropic({
    turns: parts.flatMap(({ tools, report }) => [using(...tools), using(claude.report(report)), { text: "Done." }]),
  });
  const key = ["sk", "real", "nightly", "c0ffee5eed"].join("-");
  const night = await openNightly({
    ...options,
    overHttp: true,
    agentName: claude.kind,
    userSettings: "sandbox: { mode: enforce }\n",
    env: {
      PATH: [folderOf(claude), dirname(process.execPath), process.env["PATH"]].join(":"),
      [claude.keyName]: key,
      [claude.addressName]: model.url,
    },
    patienceMs: PATIENCE_MS,
  });
  onTestFinished(async () => {
    await night.close();
    await model.close();
  });
  return Object.assign(night, {
    model,
    key,
    seen: () => parts.map(({ role }, index) => ({ role, ...seenOf(model, index * TURNS) })),
    agentRuns: async (task: string) => (await night.runs(task)).filter(({ step }) => step === "agent"),
  });
}

function seenOf({ requests }: FakeAnthropic, first: number): Omit<Seen, "role"> {
  const [asked, answered] = [first, first + 1].map((turn) => requests.find((request) => request.turn === turn));
  if (asked === undefined || answered === undefined) throw new Error(`Turn ${first} and the next were not asked for.`);
  return {
    prompt: firstWords(asked.body.messages),
    model: asked.body.model,
    tools: (asked.body.tools ?? []).map(({ name }) => name).filter((name) => name !== REPORT),
    results: resultsOf(answered.body.messages),
  };
}

type Messages = readonly { readonly content: unknown }[];

/** All that it was told before it did anything. One that goes on in a session has more than one message before it. */
function firstWords([first, ...others]: Messages = []): string {
  if (first === undefined || others.length > 0) throw new Error("The run did not begin a session of its own.");
  return textOf(TEXTS.parse(first.content));
}

/** In the order in which the tools were asked for: they run at the same time, and claude tells what ended first. */
function resultsOf(messages: Messages = []): readonly ToolResult[] {
  const [asked, told] = messages.slice(-2);
  const results = RESULTS.parse(told?.content);
  return USES.parse(asked?.content).flatMap(({ id }) => {
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
