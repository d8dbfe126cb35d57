import { createKnownSecrets } from "../../src/daemon/known-secrets.ts";
import { wire } from "../../src/daemon/wire/wire.ts";
import { createCommands } from "../../src/engine/commands/commands.ts";
import { saveProject } from "../../src/engine/commands/project-commands.ts";
import { startDispatch } from "../../src/engine/dispatch.ts";
import type { EnginePorts } from "../../src/engine/ports.ts";
import type { Requester } from "../../src/core/task/requester.ts";
import { hasEnded } from "../../src/core/task/task.ts";
import { SAMPLE_DRAFT } from "../../src/testing/builders.ts";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createBenchEnvironment, PROJECT, QUICK_AGENT } from "../environment.ts";
import { atMost, type Measured } from "../report.ts";
import { inLanes, quantile } from "../statistics.ts";

const AT_ONCE = 8;
const TASKS = 80;
const PERSON: Requester = { kind: "person", name: "bench", rights: ["admin"] };

/** Measures how long the engine waits for each call of the store while eight tasks run at once. */
export async function measureStoreWait(): Promise<readonly Measured[]> {
  const environment = createBenchEnvironment(QUICK_AGENT, AT_ONCE);
  const waits: number[] = [];
  const wired = await wire({
    home: environment.home,
    env: process.env,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    secrets: createKnownSecrets(process.env),
    pass: () => undefined,
    write: () => undefined,
  });
  const ports: EnginePorts = { ...wired.ports, store: timeCalls(wired.ports.store, (ms) => waits.push(ms)) };
  const project = {
    name: PROJECT,
    path: join(environment.root, "repo"),
    remote: environment.remote,
    defaultBranch: "main",
  };
  const { wanted } = await wired.projectFiles.pendingTrust(project, "");
  await saveProject(wired.ports, { ...project, accepted: wanted }, PERSON);
  await wired.limits.refresh();
  const dispatch = await startDispatch(ports);
  try {
    const commands = createCommands(ports);
    await inLanes(AT_ONCE, TASKS, async (index) => {
      const draft = { ...SAMPLE_DRAFT, project: PROJECT, description: `Change line ${index}` };
      const { id } = await commands.submit(draft, PERSON);
      for (;;) {
        const task = await wired.ports.store.tasks.getTask(id);
        if (task !== null && hasEnded(task)) {
          if (task.status !== "succeeded") throw new Error(`task ${id}: ${task.reason}`);
          return;
        }
        await sleep(100);
      }
    });
  } finally {
    await dispatch.stop();
    await wired.ports.store.close();
    environment.remove();
  }
  const longest = Math.max(...waits);
  const what = `${AT_ONCE} tasks at once: a call of the engine to the store`;
  return [
    {
      row: "p",
      what: `${what}, the longest of ${waits.length}`,
      unit: "ms",
      value: longest,
      baseline: null,
      target: atMost(longest, 1_000, "1 s"),
    },
    { row: "p", what: `${what}, p99`, unit: "ms", value: quantile(waits, 0.99), baseline: null, target: null },
  ];
}

/** Reports the time from each call of a method, in any part of the store, to its result: waiting, executing and committing. */
function timeCalls<T extends object>(target: T, report: (ms: number) => void): T {
  return new Proxy(target, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name);
      if (typeof value === "object" && value !== null) return timeCalls(value, report);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]) => {
        const start = performance.now();
        const result: unknown = Reflect.apply(value, object, args);
        if (result instanceof Promise)
          void result.finally(() => report(performance.now() - start)).catch(() => undefined);
        return result;
      };
    },
  });
}
