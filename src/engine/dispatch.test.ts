import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqliteStore } from "../adapters/stores/sqlite/open.ts";
import type { Store } from "../ports/store.ts";
import { createFakeClock, type FakeClock } from "../testing/fake-clock.ts";
import { OPEN, SILENT_LOG, startTask } from "../testing/store/samples.ts";
import { startDispatch } from "./dispatch.ts";
import type { EnginePorts } from "./ports.ts";

let store: Store;
let clock: FakeClock;
/** What the engine asked for, with the second in which it did. */
let seen: string[];
let carryOut: (run: string, signal: AbortSignal) => Promise<void>;

beforeEach(async () => {
  store = await openSqliteStore({ file: ":memory:", log: SILENT_LOG });
  clock = createFakeClock();
  seen = [];
});
afterEach(() => store.close());

const failToTake = (): Promise<never> => Promise.reject(new Error("the database is away"));

const note = (what: string): void => void seen.push(`${what} at ${clock.monotonic() / 1_000} s`);

function ports(over: Partial<Store["tasks"]> = {}): EnginePorts {
  return {
    store: { ...store, tasks: { ...store.tasks, ...over } },
    clock,
    log: SILENT_LOG,
    host: { capacity: () => OPEN },
    workspaces: {
      sweep: async () => undefined,
      list: async () => {
        note("sweep");
        return [];
      },
    },
    courier: {
      work: async (handler: typeof carryOut) => void (carryOut = handler),
      submit: async (run: string) => note(run),
      stop: async () => undefined,
    },
  } as unknown as EnginePorts;
}

it("dispatch: open runs are handed out every second, workspaces are swept every minute, and nothing after it stopped", async () => {
  const { run } = await startTask(store);
  const dispatch = await startDispatch(ports());
  await clock.advance(120_000);
  expect(seen.filter((line) => line.startsWith("sweep"))).toEqual(["sweep at 0 s", "sweep at 60 s", "sweep at 120 s"]);
  expect(seen.filter((line) => line.startsWith(run.id))).toHaveLength(121);
  await dispatch.stop();
  seen = [];
  await clock.advance(120_000);
  expect(seen).toEqual([]);
  expect(clock.pending()).toBe(0);
});

it("dispatch: a run that cannot be carried out is handed out again after five seconds", async () => {
  const { run } = await startTask(store);
  const dispatch = await startDispatch(ports({ takeRun: failToTake }));
  await clock.advance(1_500);
  await expect(carryOut(run.id, new AbortController().signal)).rejects.toThrow("the database is away");
  seen = [];
  await clock.advance(7_000);
  const handedOut = seen.filter((line) => line.startsWith(run.id));
  expect(handedOut).toEqual([`${run.id} at 7 s`, `${run.id} at 8 s`]);
  await dispatch.stop();
});
