import { join } from "node:path";
import { updateRunningCheck, type RunningCheck } from "../../core/task/running-check.ts";
import type { EventJson, TaskJson } from "../../http/client/client.ts";
import type { CliContext } from "../context.ts";
import { readLogTail, readNewestLog } from "./run-logs.ts";
import { lastLine } from "./activity.ts";
import { FollowedRun } from "./followed-run.ts";
import { LiveLine, type Terminal } from "./live-line.ts";
import { currentRun, statusLine, wholeSeconds } from "./status-line.ts";
import type { FollowingClient } from "./survive-restarts.ts";

/** An agent may print hundreds of lines per second. */
const REDRAW_MS = 100;

export interface LiveStatusOptions {
  readonly id: string;
  /** `performance.now()` at the start of the wait. */
  readonly start: number;
  /** Directory with the logs of all runs. */
  readonly runsDir: string;
}

/** The line that shows what a task does now. */
export interface LiveStatus {
  /** Reads the task again. Call it after each event of the task, in order. */
  refresh(client: FollowingClient, event: EventJson): void;
  /** Removes the line, so that other text can be printed. The next update shows it again. */
  clear(): void;
  close(): void;
}

type ResizableTerminal = Terminal & Pick<NodeJS.WriteStream, "isTTY" | "on" | "off">;

/** Prints nothing in a pipe, on a terminal without cursor control, and with --quiet or --json. */
export function openLiveStatus(
  context: Pick<CliContext, "env" | "quiet" | "json" | "color">,
  options: LiveStatusOptions,
  terminal: ResizableTerminal = process.stderr,
): LiveStatus {
  const isLive = terminal.isTTY && context.env["TERM"] !== "dumb" && !context.quiet && !context.json;
  if (!isLive) return { refresh() {}, clear() {}, close() {} };
  return new TerminalStatus(new LiveLine(context, terminal), options, terminal);
}

class TerminalStatus implements LiveStatus {
  private readonly options: LiveStatusOptions;
  private readonly line: LiveLine;
  private readonly terminal: ResizableTerminal;
  private readonly closing = new AbortController();
  private readonly stopHandlingSignals: () => void;
  private nextSecond: NodeJS.Timeout | undefined;
  private nextUpdate: NodeJS.Timeout | undefined;
  private task: TaskJson | null = null;
  private run: FollowedRun | null = null;
  private check: RunningCheck | null = null;
  private isReading = false;
  private isOutdated = false;

  constructor(line: LiveLine, options: LiveStatusOptions, terminal: ResizableTerminal) {
    this.options = options;
    this.line = line;
    this.terminal = terminal;
    this.stopHandlingSignals = clearOnSignals(line);
    terminal.on("resize", this.draw);
  }

  refresh(client: FollowingClient, event: EventJson): void {
    this.check = updateRunningCheck(this.check, event);
    this.isOutdated = true;
    // The wait itself reports errors of the daemon.
    if (!this.isReading) void this.read(client).catch(() => undefined);
  }

  clear(): void {
    this.line.clear();
  }

  close(): void {
    this.closing.abort();
    this.run?.stop();
    this.clearTimers();
    this.terminal.off("resize", this.draw);
    this.stopHandlingSignals();
    this.line.clear();
  }

  private async read(client: FollowingClient): Promise<void> {
    this.isReading = true;
    try {
      while (this.isOutdated) {
        this.isOutdated = false;
        const { id } = this.options;
        this.task = await client.call("GET /tasks/:id", { params: { id }, signal: this.closing.signal });
        this.follow(client, currentRun(this.task)?.id ?? null);
        this.draw();
      }
    } finally {
      this.isReading = false;
    }
  }

  private follow(client: FollowingClient, run: string | null): void {
    if (this.closing.signal.aborted || run === (this.run?.id ?? null)) return;
    this.run?.stop();
    this.run = run === null ? null : new FollowedRun(run);
    // A run without readable output is shown without its activity.
    void this.run?.follow(client, this.drawSoon).catch(() => undefined);
  }

  private readonly drawSoon = (): void => {
    if (!this.closing.signal.aborted) this.nextUpdate ??= setTimeout(this.draw, REDRAW_MS).unref();
  };

  private readonly draw = (): void => {
    this.clearTimers();
    if (this.closing.signal.aborted || this.task === null) return;
    const { start, runsDir } = this.options;
    const elapsedMs = performance.now() - start;
    const now = Date.now();
    const activity =
      this.run === null ? null : (this.run.activity ?? describeCommand(runsDir, this.run.id, this.check, now));
    const runCost = this.run?.cost ?? null;
    this.line.show(statusLine({ task: this.task, activity, runCost, elapsedMs, now }));
    this.nextSecond = setTimeout(this.draw, 1_000 - (elapsedMs % 1_000)).unref();
  };

  private clearTimers(): void {
    clearTimeout(this.nextSecond);
    clearTimeout(this.nextUpdate);
    this.nextUpdate = undefined;
  }
}

/** Checks and set-up commands have logs instead of a transcript. */
function describeCommand(runsDir: string, run: string, check: RunningCheck | null, now: number): string | null {
  if (check !== null) {
    const tail = check.log === null ? null : readLogTail(join(runsDir, check.log));
    return joinParts(`${check.name} (${wholeSeconds(now - Date.parse(check.since))})`, lastLine(tail ?? ""));
  }
  const log = readNewestLog(join(runsDir, run));
  return log === null ? null : joinParts(log.name, lastLine(log.tail));
}

function joinParts(name: string, line: string | null): string {
  return line === null ? name : `${name}: ${line}`;
}

/** Removes the line before a signal ends or suspends the command, so that the shell's prompt does not appear on it. */
function clearOnSignals(line: LiveLine): () => void {
  const clear = (): void => line.clear();
  const repeat = (signal: NodeJS.Signals): void => {
    line.clear();
    process.off(signal, repeat);
    process.kill(process.pid, signal);
  };
  const suspend = (): void => {
    line.clear();
    process.kill(process.pid, "SIGSTOP");
  };
  process.on("exit", clear);
  process.on("SIGTERM", repeat);
  process.on("SIGHUP", repeat);
  process.on("SIGTSTP", suspend);
  return () => {
    process.off("exit", clear);
    process.off("SIGTERM", repeat);
    process.off("SIGHUP", repeat);
    process.off("SIGTSTP", suspend);
  };
}
