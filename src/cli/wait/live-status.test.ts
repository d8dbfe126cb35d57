import { EventEmitter } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EventJson, OutputPageJson, RunJson, TaskJson } from "../../http/client/client.ts";
import { waitUntil } from "../../testing/wait-until.ts";
import { openLiveStatus, type LiveStatus } from "./live-status.ts";
import type { FollowingClient } from "./survive-restarts.ts";

const CONTEXT = { env: { TERM: "xterm" }, quiet: false, json: false, color: false };
const AGENT = { id: "run_1", role: "implement", step: "agent", attempt: 1, started_at: "x", finished_at: null };

const RUN_STARTED = { type: "run.started", at: new Date().toISOString(), data: {} } as EventJson;

class FakeTerminal extends EventEmitter {
  isTTY = true;
  columns = 80;
  written: string[] = [];

  write(text: string): boolean {
    this.written.push(text);
    return true;
  }

  /** The text of the last line that was drawn. */
  line(): string {
    return /\u001b\[\?7l(.*)\u001b\[\?7h/.exec(this.written.at(-1) ?? "")?.[1] ?? "";
  }
}

/** A daemon whose task and output the test changes. */
class FakeDaemon {
  task = { id: "task_1", state: "implementing", status: "running", cost_usd: 0, queued_for: null } as TaskJson;
  readonly outputs = new Map<string, (written: Pick<OutputPageJson, "lines">) => void>();
  readonly stopped: string[] = [];

  setRun(run: Partial<RunJson> | null): void {
    this.task = { ...this.task, runs: run === null ? [] : [{ ...AGENT, ...run } as RunJson] };
  }

  readonly client = {
    call: async () => this.task,
    output: (run: string, { signal }: { signal: AbortSignal }) => this.follow(run, signal),
  } as unknown as FollowingClient;

  private async *follow(run: string, signal: AbortSignal): AsyncGenerator<Pick<OutputPageJson, "lines">> {
    const pages: Pick<OutputPageJson, "lines">[] = [];
    let wake = Promise.withResolvers<void>();
    this.outputs.set(run, (written) => {
      pages.push(written);
      wake.resolve();
    });
    signal.addEventListener("abort", () => wake.resolve());
    while (!signal.aborted) {
      await wake.promise;
      wake = Promise.withResolvers();
      yield* pages.splice(0);
    }
    this.stopped.push(run);
  }
}

function page(from: "stdout" | "gateway", ...events: OutputPageJson["lines"][number]["events"]) {
  return { lines: [{ offset: 0, at: "x", from, command: "agent", events }] };
}

const NO_TOKENS = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
const usage = (cost_usd: number, scope: "delta" | "session" = "delta") =>
  ({ type: "usage", tokens: NO_TOKENS, cost_usd, model: null, scope }) as const;

let terminal: FakeTerminal;
let daemon: FakeDaemon;
let runsDir: string;
let status: LiveStatus;

beforeEach(() => {
  runsDir = mkdtempSync(join(tmpdir(), "nightshift-live-"));
  terminal = new FakeTerminal();
  daemon = new FakeDaemon();
  daemon.setRun({});
});

afterEach(() => {
  status.close();
  vi.useRealTimers();
  rmSync(runsDir, { recursive: true });
});

function open(context: Partial<typeof CONTEXT> = {}): void {
  const options = { id: "task_1", start: performance.now(), runsDir };
  status = openLiveStatus({ ...CONTEXT, ...context }, options, terminal as never);
}

async function openWithRun(): Promise<void> {
  open();
  status.refresh(daemon.client, RUN_STARTED);
  await waitUntil(() => daemon.outputs.has("run_1"));
}

/** Waits until the line ends with this text. */
function expectLine(end: string): Promise<void> {
  return waitUntil(() => terminal.line().endsWith(end));
}

function countListeners(): readonly number[] {
  return ["exit", "SIGTERM", "SIGHUP", "SIGTSTP"].map((name) => process.listenerCount(name));
}

describe("live status of --wait", () => {
  it("shows the current tool call and the cost as the agent prints them", async () => {
    await openWithRun();
    daemon.outputs.get("run_1")?.(
      page("stdout", { type: "tool_call", id: "1", name: "Bash", input: { command: "npm test" } }, usage(0.1)),
    );
    await expectLine("implementing · implement · $0.10 · Bash npm test");
  });

  it("prefers the cost that the gateway counted, and ignores sums of a session", async () => {
    await openWithRun();
    daemon.outputs.get("run_1")?.(page("stdout", usage(5), usage(70, "session")));
    daemon.outputs.get("run_1")?.(page("gateway", usage(0.2), usage(0.3), { type: "text", text: "done" }));
    await expectLine("· $0.50 · done");
  });

  it("counts every second without events", async () => {
    vi.useFakeTimers();
    open();
    status.refresh(daemon.client, RUN_STARTED);
    await vi.advanceTimersByTimeAsync(0);
    const seconds: string[] = [];
    for (let second = 0; second < 4; second += 1) {
      seconds.push(terminal.line().trim().split("  ")[0] ?? "");
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(seconds).toEqual(["0 s", "1 s", "2 s", "3 s"]);
  });

  it("follows the next run and stops following the one before", async () => {
    await openWithRun();
    daemon.setRun({ id: "run_2", role: "review" });
    status.refresh(daemon.client, RUN_STARTED);
    await waitUntil(() => daemon.outputs.has("run_2") && daemon.stopped.includes("run_1"));
    await expectLine("implementing · review");
  });

  it("shows the last line of the newest log while there is no output of an agent", async () => {
    mkdirSync(join(runsDir, "run_1", "checks"), { recursive: true });
    writeFileSync(join(runsDir, "run_1", "checks", "unit.log"), "ok 1\nok 2\n");
    daemon.setRun({ role: null, step: "checks", state: "checking" });
    await openWithRun();
    await expectLine("implementing · unit: ok 2");
  });

  it("names the check that runs now and since when, with the last line of its log", async () => {
    mkdirSync(join(runsDir, "run_1", "baseline", "checks"), { recursive: true });
    writeFileSync(join(runsDir, "run_1", "baseline", "checks", "unit.log"), "ok 1\nok 2\n");
    daemon.setRun({ role: null, step: "checks", state: "checking" });
    await openWithRun();
    const data = { name: "unit", on: "base", log: "run_1/baseline/checks/unit.log" };
    const at = new Date(Date.now() - 65_000).toISOString();
    status.refresh(daemon.client, { type: "check.started", at, data } as unknown as EventJson);
    await expect.poll(() => terminal.line()).toMatch(/unit on the base commit \(1 min \d+ s\): ok 2$/);
    status.refresh(daemon.client, { type: "check.ended", at, data } as unknown as EventJson);
    await expect.poll(() => terminal.line()).toMatch(/ {2}implementing$/);
  });

  it("redraws at once when the window is resized", async () => {
    await openWithRun();
    await waitUntil(() => terminal.line() !== "");
    terminal.columns = 20;
    terminal.emit("resize");
    expect(terminal.line()).toMatch(/^.{1,18}…$/);
  });

  it("is gone after close, and neither ticks nor listens any more", async () => {
    const before = countListeners();
    await openWithRun();
    await waitUntil(() => terminal.line() !== "");
    status.close();
    expect(terminal.written.at(-1)).toBe("\r\u001b[J");
    const { length } = terminal.written;
    terminal.emit("resize");
    daemon.outputs.get("run_1")?.(page("stdout", { type: "text", text: "late" }));
    await waitUntil(() => daemon.stopped.includes("run_1"));
    status.refresh(daemon.client, RUN_STARTED);
    await new Promise((resolve) => setImmediate(resolve));
    expect(terminal.written).toHaveLength(length);
    expect(terminal.listenerCount("resize")).toBe(0);
    expect(countListeners()).toEqual(before);
  });

  it.each([
    ["in a pipe", { isTTY: false }, {}],
    ["on a dumb terminal", {}, { env: { TERM: "dumb" } }],
    ["with --quiet", {}, { quiet: true }],
    ["with --json", {}, { json: true }],
  ])("prints and reads nothing %s", async (_, device, context) => {
    Object.assign(terminal, device);
    const call = vi.spyOn(daemon.client, "call");
    open(context);
    status.refresh(daemon.client, RUN_STARTED);
    await new Promise((resolve) => setImmediate(resolve));
    expect(terminal.written).toEqual([]);
    expect(call).not.toHaveBeenCalled();
  });
});
