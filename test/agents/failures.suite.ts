import { describe, expect, test } from "vitest";
import { hasEnded, type Task } from "../../src/core/task/task.ts";
import type { ScriptedTurn } from "../../src/testing/models/fake-model.ts";
import type { Turn } from "../../src/testing/models/fake-turn.ts";
import { readAllFiles, openAgentNight, type AgentNight, type AgentNightOptions } from "./agent-night.ts";
import { REAL_AGENTS, useTools } from "./real-agents.ts";

const REPORT = { outcome: "implemented", summary: "It greets the world." };
const DONE: Turn = { text: "Done." };

/** Repeats for every request. */
function repeatForever(turn: Turn): readonly Turn[] {
  return Array.from({ length: 60 }, () => turn);
}

/** Plays `turns`, then refuses every request until the test ends the failure; then plays `rest`. */
function refuseAfter(turns: readonly Turn[], refusal: Turn, rest: readonly Turn[]) {
  const remaining = [...rest];
  let isOver = false;
  const later = (): Turn => (isOver ? (remaining.shift() ?? { text: "There are no more turns." }) : refusal);
  const script: readonly ScriptedTurn<unknown>[] = [...turns, ...Array.from({ length: 60 }, () => later)];
  return { turns: script, end: () => void (isOver = true) };
}

const QUEUE_REASONS = ["quota", "login", "provider", "backoff"];

/** Waits until the task has ended, or is queued for something other than capacity. */
async function waitUntilEndedOrQueued(night: AgentNight): Promise<Task> {
  const { id } = await night.submit();
  return night.until(id, (task) => hasEnded(task) || QUEUE_REASONS.includes(task.queuedFor?.kind ?? ""));
}

/** Advances the clock to the time at which the task continues. */
function skipToRetryTime({ wired }: AgentNight, { queuedFor }: Task): void {
  const late = (queuedFor?.until ?? 0) - Date.now() + 1000;
  Object.assign(wired.ports.clock, { now: () => Date.now() + late });
}

/** On a busy machine, silence can have other causes. */
const RETRY_ONCE = { retry: 1 };

/** Failures around an agent, and their effect on a task. `idleS`: seconds, more than the CLI needs to start. */
export function testFailures(name: keyof typeof REAL_AGENTS, idleS: number): void {
  describe(`${name}: failures`, () => {
    const agent = REAL_AGENTS[name];
    const made = useTools(agent.create("made.txt", "hello, world"));
    const reported = useTools(agent.report(REPORT));
    // Duration of a run that achieved nothing, which is the start time of the CLI on this machine.
    let paceS = 0;
    const idle = (): string => `roles: { implement: { idle_timeout: ${Math.ceil(Math.max(idleS, paceS))}s } }\n`;
    const open = (options: AgentNightOptions): Promise<AgentNight> => openAgentNight(agent, options);

    test("a wrong key makes the task wait for a login", async () => {
      const night = await open({ turns: repeatForever(agent.refusals.login) });
      const startedAt = performance.now();
      const task = await waitUntilEndedOrQueued(night);
      paceS = (performance.now() - startedAt) / 1000;
      const [run] = await night.runs(task.id);
      expect([task.status, task.queuedFor?.kind, run?.outcome]).toEqual(["queued", "login", "login_expired"]);
      expect(run?.error).toMatch(/key/i);
      // While the task waits, the CLI's home still exists.
      const bytes = readAllFiles(night.home);
      expect(bytes).toContain(run?.sessionId);
      expect(bytes).not.toContain(night.key);
    });

    test("repeated refusals make the task wait for the provider", async () => {
      const night = await open({ turns: repeatForever(agent.refusals.overloaded) });
      const task = await waitUntilEndedOrQueued(night);
      const [run] = await night.runs(task.id);
      expect([task.status, task.queuedFor?.kind, run?.outcome]).toEqual(["queued", "provider", "provider_down"]);
      expect(run?.error).toMatch(/overloaded/i);
    });

    test("a dropped stream is continued by the CLI or in a second run", async () => {
      const night = await open({
        turns: [made, { text: "This is cut off in the middle of it, you see.", dropAfter: 3 }, reported, DONE],
      });
      let task = await waitUntilEndedOrQueued(night);
      const [run] = await night.runs(task.id);
      if (name === "gemini") {
        expect([task.queuedFor?.kind, run?.outcome]).toEqual(["provider", "provider_down"]);
        skipToRetryTime(night, task);
        task = await night.settled(task.id);
      }
      expect(task, run?.error ?? "").toMatchObject({ status: "succeeded", outcome: "published" });
      expect(await night.published(task, "made.txt")).toBe("hello, world");
    });

    test("a silent model ends the run, and its work is kept", RETRY_ONCE, async () => {
      const night = await open({
        turns: [made, ...repeatForever({ hangs: true })],
        settings: idle(),
      });
      const { id } = await night.submit();
      await night.until(id, ({ counters }) => Object.keys(counters).some((counter) => counter.endsWith(":timeout")));
      const [run] = await night.runs(id);
      expect(run).toMatchObject({
        outcome: "timeout",
        endedBy: "idle",
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      });
      expect(run?.error).toMatch(/printed nothing for too long/);
    });

    test("a report that never matches the schema is rejected with the reason each time", async () => {
      const wrong = useTools(agent.report({ outcome: "finished", words: "all good" }));
      const night = await open({ turns: [made, wrong, wrong, { text: "I give up." }, { text: "I said so." }] });
      const task = await night.until((await night.submit()).id, hasEnded);
      expect(task).toMatchObject({ status: "failed", outcome: "invalid_output" });
      const [run] = await night.runs(task.id);
      if (run === undefined) throw new Error("expected a run");
      const answers = (await night.events(run)).filter((event) => event.type === "tool_result").slice(1);
      expect(answers).toHaveLength(2);
      // Gemini validates the schema itself before it calls the tool.
      for (const { output } of answers) expect(output).toMatch(/implemented|one of the allowed values/);
    });

    test(
      "an exhausted account makes the task wait for the reset, and it continues in the same session",
      RETRY_ONCE,
      async () => {
        const resetsAt = (Math.ceil(Date.now() / 1000) + 3600) * 1000;
        const script = refuseAfter(
          [made, useTools(agent.shell("cat made.txt")), useTools(agent.shell("echo twice"))],
          agent.quotaExhausted(resetsAt),
          [reported, DONE],
        );
        const isClaude = agent.kind === "claude-code";
        const night = await open({
          turns: script.turns,
          ...(isClaude && { settings: idle(), env: SUBSCRIPTION }),
        });
        const queued = await waitUntilEndedOrQueued(night);
        const [first] = await night.runs(queued.id);
        expect([queued.status, queued.queuedFor?.kind, first?.outcome], first?.error ?? "").toEqual([
          "queued",
          "quota",
          "usage_limit",
        ]);
        // The others do not report a time, so it is retried after a minute.
        if (isClaude) expect(queued.queuedFor?.until).toBe(resetsAt);

        script.end();
        skipToRetryTime(night, queued);
        const task = await night.settled(queued.id);
        expect(task, task.reason ?? "").toMatchObject({ status: "succeeded", outcome: "published" });
        const runs = await night.runs(task.id);
        const [, second] = runs;
        expect(runs.map(({ outcome }) => outcome)).toEqual([
          "usage_limit",
          "implemented",
          "checks_passed",
          "published",
        ]);
        expect(await night.published(task, "made.txt")).toBe("hello, world");
        expect(second?.sessionId).toBe(first?.sessionId);
        const request = night.model.requests.find(({ turn }) => turn === night.model.requests.length - 2);
        expect(JSON.stringify(request?.body)).toContain("twice");
      },
    );
  });
}

/** Assembled here, so that scanners do not find a key. */
const SUBSCRIPTION = {
  ANTHROPIC_API_KEY: undefined,
  CLAUDE_CODE_OAUTH_TOKEN: ["sk", "ant", "oat01", "5eed"].join("-"),
};
