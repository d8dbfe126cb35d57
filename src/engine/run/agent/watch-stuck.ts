import { resolveRun } from "../../../core/settings/resolve-run.ts";
import { createStuckDetector, type StuckDetector } from "../../../core/task/detect-stuck.ts";
import { CHANGING_ROLES, type Role } from "../../../core/task/role.ts";
import type { TranscriptLine } from "../../../core/task/documents/transcript.ts";
import type { Agent } from "../../../ports/agent.ts";
import type { EnginePorts } from "../../ports.ts";
import type { StepContext } from "../step-context.ts";

const PAGE_BYTES = 250_000;
/** A stuck agent stays stuck, so there is no hurry. */
const CHECK_MS = 2_000;

export function createRunDetector({ settings, state, task }: StepContext, role: Role): StuckDetector {
  const { stuck } = resolveRun(settings, state.agent, task.options, role);
  return createStuckDetector(stuck, CHANGING_ROLES.includes(role));
}

/** Passes a line of the agent's transcript to the detector. */
export function detectIn(detector: StuckDetector, ports: EnginePorts, agent: Agent, line: TranscriptLine): void {
  if (line.command !== "agent") return;
  if (line.from === "stdout") for (const event of agent.parseLine(line.text)) detector.push(event, line.at);
  if (line.from !== "gateway") return;
  for (const event of ports.agents.parseGatewayLine(line.text))
    if (event.type === "usage" && event.scope === "delta") detector.addTokens(event.tokens.output);
}

/**
 * Returns a listener for new output that ends the run when its agent is stuck. It reads the transcript from the start, so it
 * also works for a run that an earlier daemon started.
 */
export function createStuckWatch(context: StepContext, role: Role): () => void {
  const { ports, run, settings, state, task } = context;
  const detector = createRunDetector(context, role);
  const agent = ports.agents.create(resolveRun(settings, state.agent, task.options, role).agentSettings);
  let offset = 0;
  let isBusy = false;
  let isEnded = false;
  let checkedAt = Number.NEGATIVE_INFINITY;

  async function check(): Promise<void> {
    for (;;) {
      const page = await ports.runFiles.readTranscript(run.id, offset, PAGE_BYTES);
      for (const line of page.lines) detectIn(detector, ports, agent, line);
      if (page.next === offset) break;
      offset = page.next;
    }
    if (detector.finding() === null) return;
    isEnded = await ports.supervisors.control(ports.runFiles.dir(run.id), "end_stuck");
  }

  return () => {
    const at = ports.clock.now();
    if (isBusy || isEnded || at - checkedAt < CHECK_MS) return;
    isBusy = true;
    checkedAt = at;
    check()
      .catch((error: unknown) =>
        ports.log.warn("the progress of a run cannot be checked", { run: run.id, error: String(error) }),
      )
      .finally(() => {
        isBusy = false;
      });
  };
}
