import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ProblemError, type EventJson, type TaskJson } from "../../src/http/client/client.ts";
import type { Daemon } from "./daemon.ts";
import { keepDaemon, type KeptDaemon } from "./keep-daemon.ts";
import type { KindName } from "./scripts.ts";
import type { World } from "./world.ts";

/** A submit that the daemon acknowledged: from then on the task must never be lost. */
export interface Submitted {
  readonly id: string;
  readonly kind: KindName;
}

/** One world with its daemon, and what people do in it: they hand in work, answer, and repeat what got no answer. */
export interface Night {
  readonly world: World;
  readonly submitted: readonly Submitted[];
  readonly seen: readonly EventJson[];
  startCrashing(point: string): Promise<Daemon>;
  /** Kills the daemon after that time; where none ran, one is started first and may be killed before it answers. */
  killDaemon(afterMs?: number): Promise<void>;
  submit(kind: KindName): Promise<void>;
  /** Answers whoever waits. */
  answer(): Promise<void>;
  /** Until every task has ended; returns those that did not in time. */
  settle(patienceMs: number): Promise<readonly TaskJson[]>;
  stop(): Promise<void>;
}

export async function startNight(world: World): Promise<Night> {
  const submitted: Submitted[] = [];
  const kept = keepDaemon(world.home);
  const { seen, running, insist } = kept;
  await register(kept, world);
  return {
    world,
    submitted,
    seen,
    startCrashing: kept.replace,
    async killDaemon(afterMs = 0) {
      const victim = running();
      await sleep(afterMs);
      await victim.kill();
    },
    async submit(kind) {
      const idempotencyKey = randomBytes(8).toString("hex");
      const body = { project: "chaos", pipeline: "chore", description: `Do ${kind} work.`, agent: kind };
      const { id } = await insist((client) => client.call("POST /tasks", { body, idempotencyKey }));
      submitted.push({ id, kind });
    },
    answer: () => answerAll(kept),
    async settle(patienceMs) {
      const deadline = performance.now() + patienceMs;
      for (;;) {
        await answerAll(kept);
        const { tasks } = await insist((client) => client.call("GET /tasks", { query: { limit: 200 } }));
        const open = tasks.filter(({ finished_at: finished }) => finished === null);
        const isTold = ({ id }: Submitted): boolean =>
          seen.some((event) => event.task === id && event.type === "task.ended");
        if ((open.length === 0 && submitted.every(isTold)) || performance.now() > deadline) return open;
        await sleep(100);
      }
    },
    async stop() {
      const last = running();
      // One that was just started cannot be told yet.
      await last.client;
      await last.stop();
    },
  };
}

async function register({ insist }: KeptDaemon, { repo }: World): Promise<void> {
  const place = { path: repo, url: null };
  const { pending } = await insist((client) => client.call("POST /projects", { body: { ...place, accept: null } }));
  await insist((client) => client.call("POST /projects", { body: { ...place, accept: pending.hash } }));
}

async function answerAll({ insist }: KeptDaemon): Promise<void> {
  const { tasks } = await insist((client) => client.call("GET /tasks", { query: { status: "waiting" } }));
  for (const { id } of tasks) {
    const request = { params: { id }, body: { answers: { which: "a" } }, idempotencyKey: `answer-${id}` };
    await insist((client) => client.call("POST /tasks/:id/answer", request)).catch((error: unknown) => {
      // A daemon that died after it had taken the answer leaves nothing to answer for the second try.
      if (!(error instanceof ProblemError && error.status === 409)) throw error;
    });
  }
}
