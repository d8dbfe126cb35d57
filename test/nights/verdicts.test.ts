import { chmodSync, cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openNight, type Night, type NightOptions } from "../support/night.ts";

let night: Night | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
});

/** A pipeline with a worker and a reviewer. Both are the same script. */
const PIPELINE = `name: judged
start: implementing
states:
  implementing:
    agent: implement
    on: { implemented: reviewing, no_changes: failed }
  reviewing:
    agent: review
    on: { approved: done, changes_requested: failed }
  done: { end: succeeded }
  failed: { end: failed }
  cancelled: { end: cancelled }
`;

/** Code that each of the two runs before it reports. */
function script(worker: string, reviewer: string): string {
  return `if [ "$NIGHTSHIFT_ROLE" = implement ]; then
${worker}
echo more >> greeting.txt; done_with ok
else
${reviewer}
printf '{"outcome":"approved","summary":"fine","comments":[]}' > "$OUT"
fi`;
}

async function runReview(
  options: NightOptions,
): Promise<{ task: Awaited<ReturnType<Night["settled"]>>; output: string[][] }> {
  night = await openNight({
    timeoutMs: 60_000,
    userSettings: "sandbox: { mode: enforce }\n",
    ...options,
    files: { ".nightshift/pipelines/judged.yaml": PIPELINE, ...options.files },
  });
  const { repo, wired, submit, settled, runs } = night;
  // An executable in the workspace that records its execution.
  cpSync("/bin/echo", join(repo.checkout, "tool"));
  chmodSync(join(repo.checkout, "tool"), 0o755);
  await repo.commit({});
  const task = await settled((await submit({ pipeline: "judged" })).id);
  const pages = (await runs(task.id)).map(({ id }) => wired.ports.runFiles.readTranscript(id, 0, 1_000_000));
  return { task, output: (await Promise.all(pages)).map(({ lines }) => lines.map(({ text }) => text)) };
}

describe("role that gives a verdict", { timeout: 120_000 }, () => {
  it("runs without setup and cannot execute anything from the workspace, its home or /tmp", async () => {
    const look = [
      "[ -e made.txt ] && echo set-up ran",
      "./tool from the workspace 2>/dev/null",
      'cp tool "$HOME/tool" && "$HOME/tool" from home 2>/dev/null',
      "cp tool /tmp/tool && /tmp/tool from tmp 2>/dev/null",
      "echo x 2>/dev/null >> greeting.txt && echo wrote",
      "echo end",
    ].join("\n");
    const { task, output } = await runReview({
      settings: "workspace: { setup: 'echo made > made.txt' }\n",
      agent: script(look, look),
    });
    expect(task).toMatchObject({ status: "succeeded", state: "done" });
    // The worker shows that all of it works where it is allowed.
    expect(output[0]).toEqual(["set-up ran", "from the workspace", "from home", "from tmp", "wrote", "end"]);
    expect(output[1]?.filter((line) => !/read-only/i.test(line))).toEqual(["end"]);
    const [, review] = await night!.runs(task.id);
    expect(existsSync(join(night!.home, "runs", review?.id ?? "", "setup"))).toBe(false);
  });

  it("may leave directories without permissions: its run succeeds and they are removed", async () => {
    const lock = [
      'for d in /tmp "$HOME" "$(dirname "$OUT")"; do mkdir -p "$d/closed/inner" && echo x > "$d/closed/inner/f"; done',
      'for d in /tmp "$HOME" "$(dirname "$OUT")"; do chmod 000 "$d/closed/inner" "$d/closed"; done',
      "echo closed",
    ].join("\n");
    const { task, output } = await runReview({ agent: script("echo works", lock) });
    expect(task).toMatchObject({ status: "succeeded", state: "done" });
    expect(output[1]).toEqual(["closed"]);
    const [, review] = await night!.runs(task.id);
    expect(review).toMatchObject({ outcome: "approved", endedBy: "exit" });
    const left = () => readdirSync(join(night!.home, "runs", review?.id ?? ""));
    const own = ["report", "tmp", "home", ".wall"];
    await expect.poll(() => left().filter((name) => own.includes(name)), { timeout: 30_000 }).toEqual([]);
    await expect.poll(() => readdirSync(join(night!.home, "homes")), { timeout: 30_000 }).toEqual([]);
  });
});
