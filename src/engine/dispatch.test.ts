import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqliteStore } from "../adapters/stores/sqlite/open.ts";
import { MachineError } from "../core/text/errors.ts";
import type { Store } from "../ports/store.ts";
import { createFakeClock, type FakeClock } from "../testing/fake-clock.ts";
import { OPEN, SILENT_LOG, startTask } from "../testing/store/samples.ts";
import { startDispatch } from "./dispatch.ts";
import type { EnginePorts } from "./ports.ts";

let store: Store;
let clock: FakeClock;
/** Calls that the engine made, with the second of each. */
let calls: string[];
let executeRun: (run: string, signal: AbortSignal) => Promise<void>;

beforeEach(async () => {
  store = await openSqliteStore({ file: ":memory:", log: SILENT_LOG });
  clock = createFakeClock();
  calls = [];
});
afterEach(() => store.close());

const failTakeRun = (): Promise<never> => Promise.reject(new Error("the database is not available"));

const record = (call: string): void => void calls.push(`${call} at ${clock.monotonic() / 1_000} s`);

function ports(over: Partial<Store["tasks"]> = {}): EnginePorts {
  return {
    store: { ...store, tasks: { ...store.tasks, ...over } },
    clock,
    log: SILENT_LOG,
    host: { capacity: () => OPEN },
    workspaces: {
      sweep: async () => undefined,
      removeOldSetups: async () => undefined,
      list: async () => {
        record("sweep");
        return [];
      },
    },
    supervisors: { sweep: async () => undefined },
    courier: {
      work: async (handler: typeof executeRun) => void (executeRun = handler),
      submit: async (run: string) => record(run),
      stop: async () => undefined,
    },
  } as unknown as EnginePorts;
}

it("dispatch: submits open runs every second, sweeps workspaces every minute, and does nothing after stop", async () => {
  const { run } = await startTask(store);
  const dispatch = await startDispatch(ports());
  await clock.advance(120_000);
  expect(calls.filter((line) => line.startsWith("sweep"))).toEqual(["sweep at 0 s", "sweep at 60 s", "sweep at 120 s"]);
  expect(calls.filter((line) => line.startsWith(run.id))).toHaveLength(121);
  await dispatch.stop();
  calls = [];
  await clock.advance(120_000);
  expect(calls).toEqual([]);
  expect(clock.pending()).toBe(0);
});

it("dispatch: a run that failed to execute is submitted again after five seconds", async () => {
  const { run } = await startTask(store);
  const dispatch = await startDispatch(ports({ takeRun: failTakeRun }));
  await clock.advance(1_500);
  await expect(executeRun(run.id, new AbortController().signal)).rejects.toThrow("the database is not available");
  calls = [];
  await clock.advance(7_000);
  const submitted = calls.filter((line) => line.startsWith(run.id));
  expect(submitted).toEqual([`${run.id} at 7 s`, `${run.id} at 8 s`]);
  await dispatch.stop();
});

it("dispatch: says why nothing starts while the store cannot be written", async () => {
  let isLocked = true;
  const admit: Store["tasks"]["admit"] = async (limits) => {
    if (isLocked) throw new MachineError("The database is locked.", "Close it elsewhere.");
    return await store.tasks.admit(limits);
  };
  const dispatch = await startDispatch(ports({ admit }));
  expect(dispatch.problem()).toBe("No task starts or ends at the moment: The database is locked. Close it elsewhere.");
  isLocked = false;
  await clock.advance(1_000);
  expect(dispatch.problem()).toBeNull();
  await dispatch.stop();
});
