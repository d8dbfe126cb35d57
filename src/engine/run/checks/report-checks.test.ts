import { afterEach, describe, expect, it } from "vitest";
import type { Event } from "../../../core/task/event.ts";
import type { CommandProgress } from "../../../ports/supervisor.ts";
import { openEngineWorld, type EngineWorld, type EngineWorldOptions } from "../../../testing/engine/engine-world.ts";
import type { ScriptedEnd } from "../../../testing/engine/scripted-supervisors.ts";

let world: EngineWorld;
afterEach(() => world.close());

const CHANGE: ScriptedEnd = {
  files: { "greeting.txt": "hello, world\n" },
  report: { outcome: "implemented", summary: "greets the world" },
};

/** The test fails on the change only, so it also runs on the base commit. */
const OPTIONS: EngineWorldOptions = {
  settings: "checks:\n  lint: { command: npm run lint }\n  test: { command: npm test }\n",
  script: ({ name, run }) => {
    if (name === "agent") return CHANGE;
    return name === "check:test" && run === 0 ? { exitCode: 1, output: "broken" } : {};
  },
};

const EXPECTED = [
  "info check lint started",
  "debug check lint: passed",
  "info check test started",
  "warning check test: failed",
  "info check test on the base commit started",
  "debug check test on the base commit: passed",
];

async function checkEvents(task: string): Promise<readonly Event[]> {
  const events = await world.ports.store.events.listEvents({ after: 0, task, limit: 1000 });
  return events.filter(({ type, data }) => type.startsWith("check.") && data["log"] !== undefined);
}

function summarize(events: readonly Event[]): readonly string[] {
  return events.map(({ level, summary }) => `${level} ${summary}`);
}

describe("events of checks", () => {
  it("tell each start and end, with the commit that is checked, the result and the log", async () => {
    world = await openEngineWorld(OPTIONS);
    const { id } = await world.submit();
    await world.step(id);
    const run = await world.step(id);
    const events = await checkEvents(id);
    expect(summarize(events)).toEqual(EXPECTED);
    expect(events.every((event) => event.run === run?.id)).toBe(true);
    expect(events[3]?.data).toEqual({
      name: "test",
      on: "change",
      log: `${run?.id}/checks/test.log`,
      status: "failed",
      severity: "error",
      exit_code: 1,
      duration_ms: 1,
    });
    expect(events[4]?.data).toEqual({ name: "test", on: "base", log: `${run?.id}/baseline/checks/test.log` });
  });

  it.each([0, 1, 2, 3, 4])("come once if the daemon is killed after %d of them", async (count) => {
    const killed = new AbortController();
    let task = "";
    world = await openEngineWorld({
      ...OPTIONS,
      over: ({ supervisors }) => ({
        supervisors: {
          ...supervisors,
          watch: async (dir, options) => {
            if (options.onProgress === undefined || killed.signal.aborted) return supervisors.watch(dir, options);
            const all: CommandProgress[] = [];
            await supervisors.watch(dir, { ...options, onProgress: (progress) => void all.push(progress) });
            all.slice(0, count).forEach(options.onProgress);
            await expect.poll(() => checkEvents(task)).toHaveLength(count);
            killed.abort(new Error("the daemon was killed"));
            throw killed.signal.reason;
          },
        },
      }),
    });
    ({ id: task } = await world.submit());
    await world.step(task);
    await world.step(task, killed.signal);
    expect(summarize(await checkEvents(task))).toEqual(EXPECTED.slice(0, count));
    await world.step(task);
    expect(summarize(await checkEvents(task))).toEqual(EXPECTED);
  });
});
