import type { OutputPageJson } from "../../http/client/client.ts";
import { describeActivity } from "./activity.ts";
import type { FollowingClient } from "./survive-restarts.ts";

/** Reads the output of a run as it is written, and keeps what its agent does and what it has cost so far. */
export class FollowedRun {
  readonly id: string;
  activity: string | null = null;
  private readonly stopping = new AbortController();
  private meteredUsd: number | null = null;
  private reportedUsd: number | null = null;

  constructor(id: string) {
    this.id = id;
  }

  /** The gateway counts everything, so its sum takes precedence. Null if no cost is known yet. */
  get cost(): number | null {
    return this.meteredUsd ?? this.reportedUsd;
  }

  /** Returns when the run has ended or `stop` was called. `onChange` is called after each part of the output. */
  async follow(client: FollowingClient, onChange: () => void): Promise<void> {
    for await (const page of client.output(this.id, { signal: this.stopping.signal })) {
      this.add(page);
      onChange();
    }
  }

  stop(): void {
    this.stopping.abort();
  }

  add({ lines }: Pick<OutputPageJson, "lines">): void {
    for (const { from, events } of lines)
      for (const event of events) {
        this.activity = describeActivity(event) ?? this.activity;
        // A sum of the session includes earlier runs.
        if (event.type !== "usage" || event.cost_usd === null || event.scope === "session") continue;
        if (from === "gateway") this.meteredUsd = (this.meteredUsd ?? 0) + event.cost_usd;
        else this.reportedUsd = (this.reportedUsd ?? 0) + event.cost_usd;
      }
  }
}
