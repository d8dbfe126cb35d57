import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { createAgent, describeAgents, type AgentDescription } from "../adapters/agents/index.ts";
import type { Run } from "../core/run.ts";
import type { AgentSettings } from "../core/settings.ts";
import type { TranscriptEvent, TranscriptLine } from "../core/transcript.ts";
import type { EnginePorts } from "../engine/ports.ts";
import type { AgentInfo } from "../http/deps.ts";

/** Every agent that a registered project could use, and whether it is there. */
export async function findAgents(
  ports: Pick<EnginePorts, "store" | "projects" | "hostEnv" | "log">,
): Promise<readonly AgentInfo[]> {
  const configured: Record<string, AgentSettings> = {};
  for (const project of await ports.store.listProjects())
    try {
      Object.assign(configured, (await ports.projects.settings(project)).agents);
    } catch (error) {
      ports.log.warn("the settings of a project cannot be read", { project: project.name, error: String(error) });
    }
  return Promise.all(describeAgents(configured).map((agent) => lookForAgent(agent, ports.hostEnv["PATH"] ?? "")));
}

export async function lookForAgent(
  { name, kind, program, problem }: AgentDescription,
  path: string,
): Promise<AgentInfo> {
  const base = { name, kind, version: null, parkedUntil: null };
  if (problem !== null || program === null)
    return { ...base, program: program?.name ?? null, usable: problem === null, problem };
  const found = await findProgram(program.name, path);
  const missing = found === null ? `${program.name} is not on the daemon's PATH` : null;
  return { ...base, program: found ?? program.name, usable: found !== null, problem: missing };
}

async function findProgram(program: string, path: string): Promise<string | null> {
  const places = isAbsolute(program)
    ? [program]
    : path
        .split(delimiter)
        .filter(isAbsolute)
        .map((folder) => join(folder, program));
  for (const place of places)
    try {
      await access(place, constants.X_OK);
      return place;
    } catch {
      // Not here: the next folder may have it.
    }
  return null;
}

/** Only the agent's own stdout is in its format; what others printed is text. */
export function parseLine(run: Run, line: TranscriptLine): readonly TranscriptEvent[] {
  if (line.command !== "agent" || line.from !== "stdout" || run.agent === null)
    return [{ type: "raw", text: line.text }];
  return createAgent(OWN_FORMAT).parseLine(line.text);
}

/** Both agents of this version write the same lines. */
const OWN_FORMAT: AgentSettings = { kind: "command", model: null, command: ["true"], prompt: "stdin", script: null };
