import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Run } from "../../src/core/task/run.ts";
import type { TranscriptEvent, TranscriptLine } from "../../src/core/task/documents/transcript.ts";
import type { FakeModel, ScriptedTurn } from "../../src/testing/models/fake-model.ts";
import type { Files } from "../../src/testing/temp-repo.ts";
import { openNight, type Night } from "../support/night.ts";
import { programDirOf } from "./real-agents.ts";
import type { RealAgent } from "./real-agents.ts";

/** A sandboxed night in which a real CLI works with a scripted model. */
export interface AgentNight extends Night {
  readonly model: FakeModel<unknown>;
  /** Assembled at run time. The model does not check it, but the gateway must send it. */
  readonly key: string;
  lines(run: Run): Promise<readonly TranscriptLine[]>;
  /** The parsed events of the agent's stdout. */
  events(run: Run): Promise<readonly TranscriptEvent[]>;
}

export interface AgentNightOptions {
  readonly turns: readonly ScriptedTurn<unknown>[];
  readonly settings?: string;
  /** The user's sandbox settings, in addition to those of all nights here. */
  readonly sandbox?: string;
  /** A folder that comes first in PATH. */
  readonly programs?: string;
  readonly files?: Files;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Generous, for a machine with much other load. */
const TIMEOUT_MS = 240_000;

export async function openAgentNight(agent: RealAgent, options: AgentNightOptions): Promise<AgentNight> {
  const model = await agent.openModel(options.turns);
  const key = ["sk", "real", agent.kind.length, "c0ffee5eed"].join("-");
  const night = await openNight({
    agentName: agent.kind,
    userSettings: `sandbox: { mode: enforce${options.sandbox === undefined ? "" : `, ${options.sandbox}`} }\n`,
    settings: `agents: ${JSON.stringify({ [agent.kind]: { model: agent.model, command: agent.command } })}\n${options.settings ?? ""}`,
    ...(options.files !== undefined && { files: options.files }),
    env: {
      PATH: [options.programs ?? [], programDirOf(agent), dirname(process.execPath), process.env["PATH"]]
        .flat()
        .join(":"),
      HOME: process.env["HOME"],
      LANG: process.env["LANG"],
      [agent.keyName]: key,
      [agent.addressName]: model.url,
      ...options.env,
    },
    timeoutMs: TIMEOUT_MS,
  });
  onTestFinished(async () => {
    await night.close();
    await model.close();
  });
  const lines = async ({ id }: Run) => {
    const found: TranscriptLine[] = [];
    for (let offset = 0; ;) {
      const page = await night.wired.ports.runFiles.readTranscript(id, offset, 1_000_000);
      found.push(...page.lines);
      if (page.next === offset) return found;
      offset = page.next;
    }
  };
  const { parseLine } = night.wired.ports.agents.create({
    kind: agent.kind,
    model: null,
    options: agent.command === undefined ? {} : { command: agent.command },
  });
  return Object.assign(night, {
    model,
    key,
    lines,
    events: async (run: Run) =>
      (await lines(run))
        .filter(({ command, from }) => command === "agent" && from === "stdout")
        .flatMap(({ text }) => parseLine(text)),
  });
}

/** The contents of all files below a folder, as one text. */
export function readAllFiles(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}
