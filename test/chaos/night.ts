import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ProblemError, type EventJson, type TaskJson } from "../../src/http/client/client.ts";
import type { Daemon } from "./daemon.ts";
import { keepDaemon, type KeptDaemon } from "./keep-daemon.ts";
import type { KindName } from "./scripts.ts";
import type { World } from "./world.ts";

/** A submission that the daemon acknowledged. From then on, the task must never be lost. */
export interface Submitted {
  readonly id: string;
  readonly kind: KindName;
}

/** A world with its daemon and simulated people, who submit tasks, answer questions and repeat failed requests. */
export interface Night {
  readonly world: World;
  readonly submitted: readonly Submitted[];
  readonly seen: readonly EventJson[];
  startCrashing(point: string): Promise<Daemon>;
  /** Kills the daemon after this time. If none is running, starts one first, which may be killed before it responds. */
  killDaemon(afterMs?: number): Promise<void>;
  submit(kind: KindName): Promise<void>;
  /** Answers all waiting tasks. */
  answer(): Promise<void>;
  /** Waits until all tasks have ended. Returns those that did not end in time. */
  settle(timeoutMs: number): Promise<readonly TaskJson[]>;
  stop(): Promise<void>;
}

export async function startNight(world: World): Promise<Night> {
  const submitted: Submitted[] = [];
  const kept = keepDaemon(world);
  const { seen, running, retryUntilAnswered: insist } = kept;
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
    async settle(timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        await answerAll(kept);
        const { tasks } = await insist((client) => client.call("GET /tasks", { query: { limit: 200 } }));
        const open = tasks.filter(({ finished_at: finished }) => finished === null);
        const hasSeenEnd = ({ id }: Submitted): boolean =>
          seen.some((event) => event.task === id && event.type === "task.ended");
        if ((open.length === 0 && submitted.every(hasSeenEnd)) || performance.now() > deadline) return open;
        await sleep(100);
      }
    },
    async stop() {
      const last = running();
      // A daemon that was just started does not accept requests yet.
      await last.client;
      await last.stop();
    },
  };
}

async function register({ retryUntilAnswered: insist }: KeptDaemon, { repo }: World): Promise<void> {
  const place = { path: repo, url: null };
  const { pending } = await insist((client) => client.call("POST /projects", { body: { ...place, accept: null } }));
  await insist((client) => client.call("POST /projects", { body: { ...place, accept: pending.hash } }));
}

async function answerAll({ retryUntilAnswered: insist }: KeptDaemon): Promise<void> {
  const { tasks } = await insist((client) => client.call("GET /tasks", { query: { status: "waiting" } }));
  for (const { id } of tasks) {
    const request = { params: { id }, body: { answers: { which: "a" } }, idempotencyKey: `answer-${id}` };
    await insist((client) => client.call("POST /tasks/:id/answer", request)).catch((error: unknown) => {
      // If the daemon died after it accepted the answer, there is nothing left to answer.
      if (!(error instanceof ProblemError && error.status === 409)) throw error;
    });
  }
}
