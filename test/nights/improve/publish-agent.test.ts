import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { hasEnded, type Task } from "../../../src/core/task/task.ts";
import { git } from "../../../src/testing/temp-repo.ts";
import { NIGHTLY_DRAFT, openNightly, TOKEN, type Nightly, type NightlyOptions } from "../../support/nightly.ts";
import { branchesOf, expectNothingLeft, filesContaining, promptsOf } from "../../support/cleanup-checks.ts";
import { BRANCH, expectNotPublished, printGranted, publishingAgent } from "../../support/publishing-agent.ts";

const TEST_TIMEOUT = { timeout: 400_000 };
let night: Nightly;

async function open(script: string, options: NightlyOptions = {}): Promise<void> {
  const improve = options.improve ?? "  publish: agent\n";
  night = await openNightly({ timeoutMs: 250_000, ...options, improve, agent: publishingAgent(script) });
}

afterEach(async () => night.close(), 60_000);

async function runNight(): Promise<Task> {
  const { id } = await night.submit({ ...NIGHTLY_DRAFT, improve: { category: "docs", only: true, scheduledAt: null } });
  return night.until(id, (task) => hasEnded(task) || task.status === "waiting");
}

const runsOf = async (task: Task) =>
  (await night.runs(task.id)).map(({ role, step, outcome }) => [role, step, outcome] as const);

async function readTokenHolders(): Promise<readonly string[]> {
  return (await readFile(join(night.repo.path, "holders"), "utf8")).trim().split("\n");
}

describe("improve.publish: agent", TEST_TIMEOUT, () => {
  it.each([
    ["gitlab", "push && opened $(open_gitlab)", true],
    ["github", "push && opened $(open_github)", false],
  ] as const)(
    "on %s: the agent pushes and opens the change request, and the engine updates its fields",
    async (kind, script, overHttp) => {
      await open(`echo "I see $GITLAB_TOKEN$GH_ENTERPRISE_TOKEN"\n${script}`, { kind, overHttp });
      const task = await runNight();
      expect(task).toMatchObject({ status: "succeeded", state: "published", branch: BRANCH });
      expect((await runsOf(task)).at(-1)).toEqual(["publish", "agent", "published"]);
      const [request, ...others] = night.forge.changeRequests;
      expect(others).toEqual([]);
      expect(request).toMatchObject({ branch: BRANCH, target: "main", state: "open", title: /Say more/ });
      expect(request?.labels).toContain("night-shift");
      expect(await git(night.repo.remote, "rev-list", "--count", `main..${BRANCH}`)).toBe("1");
      const run = (await night.runs(task.id)).at(-1);
      expect(run).toMatchObject({ agent: "mine", sandbox: "none", payload: { granted: ["FORGE_TOKEN"] } });
      expect(run?.payload?.["commit"]).toBe(await git(night.repo.remote, "rev-parse", BRANCH));
      // It is shown to people, and the token is in no file, no argument and no other role's environment.
      expect(await printGranted(night, task)).toBe(
        `  ${run?.id}: the agent of this run holds the forge's token ($FORGE_TOKEN for ${night.forge.url.slice(7)}/team/shop), because improve.publish is agent\n`,
      );
      expect(await readTokenHolders()).toEqual([
        "analyze no",
        "implement no",
        "verify no",
        "describe no",
        "publish yes",
      ]);
      expect(await readFile(join(night.repo.path, "arguments"), "utf8")).toBe("");
      expect(await filesContaining(night.repo.path, [TOKEN, Buffer.from(TOKEN).toString("base64")])).toEqual([]);
      const transcript = await readFile(join(night.home, "runs", run?.id ?? "", "transcript.jsonl"), "utf8");
      expect(transcript).toContain("I see [redacted");
      const [prompt] = await promptsOf(night, task.id, "publish");
      expect(prompt).toContain(`1. git push --force-with-lease=refs/heads/${BRANCH}: origin `);
      await expectNothingLeft(night, task);
    },
  );

  it("corrects a change request that targets another branch than the default one", async () => {
    await open("push && opened $(open_gitlab elsewhere)");
    await night.repo.git("push", "--quiet", "origin", "HEAD:refs/heads/elsewhere");
    expect(await runNight()).toMatchObject({ state: "published" });
    expect(night.forge.changeRequests).toMatchObject([{ branch: BRANCH, target: "main" }]);
  });

  it("does not trust the agent: a reported URL that does not exist is a failure, retried and then final", async () => {
    await open('opened "$GITLAB_HOST/team/shop/-/merge_requests/7"');
    const task = await runNight();
    expect(task).toMatchObject({ status: "failed", outcome: "agent_error" });
    expect(task.reason).toMatch(
      /the agent reported http.*\/7, but .* does not have the commit in "night-shift\/say-more"/,
    );
    const tries = (await runsOf(task)).filter(([role]) => role === "publish");
    expect(tries.length).toBeGreaterThan(1);
    expect(tries.filter(([, , outcome]) => outcome !== "agent_error")).toEqual([]);
    await expectNotPublished(night, task);
  });

  it("a push without a change request is a failure, whether or not the agent claims one", async () => {
    await open('push; if [ "$N" = 1 ]; then opened "$GITLAB_HOST/team/shop/-/merge_requests/1"; fi');
    const task = await runNight();
    expect(task).toMatchObject({ status: "failed" });
    const errors = (await night.runs(task.id)).filter(({ role }) => role === "publish").map(({ error }) => error);
    expect(errors[0]).toMatch(
      /the agent reported .*\/1, but .* has no open change request for "night-shift\/say-more", which is pushed/,
    );
    expect(errors[1]).toMatch(
      /did not publish the change: invalid_output .*; the branch "night-shift\/say-more" is pushed, and no change request/,
    );
    expect(await branchesOf(night)).toEqual([BRANCH]);
    await expectNotPublished(night, task);
  });

  it("reports an error and does not retry if another commit was pushed than the reviewed one", async () => {
    await open(
      "export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@x\necho stolen >> other.txt; git commit --quiet -am more; push HEAD; opened $(open_gitlab)",
    );
    const task = await runNight();
    expect(task).toMatchObject({ status: "failed", outcome: "policy_failed" });
    const pushed = await git(night.repo.remote, "rev-parse", BRANCH);
    expect(task.reason).toContain(`has a commit that was not checked: ${pushed} instead of `);
    expect(task.reason).toMatch(
      /close http.*merge_requests\/1, delete the branch, and replace the token in \$FORGE_TOKEN/,
    );
    expect((await runsOf(task)).filter(([role]) => role === "publish")).toHaveLength(1);
    await expectNotPublished(night, task);
  });

  it("finds the change request of an agent that was ended before it could report", async () => {
    await open('push && open_gitlab > /dev/null; [ "$N" = 1 ] && kill -9 $$');
    const task = await runNight();
    expect(task).toMatchObject({ status: "succeeded", state: "published" });
    expect((await runsOf(task)).filter(([role]) => role === "publish")).toEqual([["publish", "agent", "published"]]);
    expect(night.forge.changeRequests).toHaveLength(1);
  });

  it("gives no credentials if the project's file requests it and no person accepted it", async () => {
    await open("opened nowhere", { improve: "" });
    const file = join(night.repo.checkout, "nightshift.yaml");
    await writeFile(file, (await readFile(file, "utf8")).replace("improve:\n", "improve:\n  publish: agent\n"));
    const task = await runNight();
    expect(task).toMatchObject({ status: "succeeded", state: "published" });
    expect((await runsOf(task)).at(-1)).toEqual([null, "publish", "published"]);
    expect(await printGranted(night, task)).toBe("");
    expect(await readTokenHolders()).toEqual(["analyze no", "implement no", "verify no", "describe no"]);
  });

  it("survives a daemon crash at every checkpoint: one push, one change request, and the agent runs once", async () => {
    const seen = new Set<string>();
    let isPublishing = false;
    let isDown = false;
    let steps = 0;
    const pass = (checkpoint: string): void => {
      if (isDown) throw new Error("power cut");
      if (checkpoint === "step.committed") steps += 1;
      isPublishing = steps >= 5;
      if (!isPublishing || checkpoint === "notice.sent" || seen.has(checkpoint)) return;
      seen.add(checkpoint);
      isDown = true;
      void night.wired.ports.courier.stop();
      throw new Error("power cut");
    };
    await open('echo worked >> "$PLACE/worked"; push && opened $(open_gitlab)', { overHttp: true, pass });
    const { id } = await night.submit({
      ...NIGHTLY_DRAFT,
      improve: { category: "docs", only: true, scheduledAt: null },
    });
    const read = () => night.wired.ports.store.tasks.getTask(id);
    for (;;) {
      await vi.waitFor(
        async () => {
          const task = await read();
          expect(isDown || (task !== null && hasEnded(task))).toBe(true);
        },
        { timeout: 120_000, interval: 20 },
      );
      if (!isDown) break;
      await night.wired.ports.courier.stop();
      isDown = false;
      await night.restart();
    }
    expect([...seen]).toEqual(
      expect.arrayContaining([
        "supervisor.started",
        "supervisor.ended",
        "outcome.read",
        "branch.pushed",
        "request.opened",
      ]),
    );
    expect(await read()).toMatchObject({ status: "succeeded", state: "published" });
    expect(night.forge.changeRequests).toHaveLength(1);
    expect(await readFile(join(night.repo.path, "worked"), "utf8")).toBe("worked\n");
    expect((await night.runs(id)).filter(({ role }) => role === "publish")).toHaveLength(1);
    await expectNothingLeft(night, { id });
  });

  it("in the sandbox can read its workspace, has only git's login and cannot reach this machine", async () => {
    const script = `
(echo x > notes.txt) 2>/dev/null && echo "wrote it"
which curl >/dev/null 2>&1 && curl --version >/dev/null 2>&1 && echo "has curl"
printf 'url=%s\\n\\n' "$(git config remote.origin.url)" | git credential fill | grep -q '^password=.*planted' && echo "logged in"
git push origin HEAD:refs/heads/other`;
    await open(script, { userSettings: "sandbox: { mode: enforce }\n" });
    const refused = await runNight();
    expect(refused).toMatchObject({ status: "failed", outcome: "sandbox_refused" });
    expect(refused.reason).toMatch(/127\.0\.0\.1.*public internet hosts/);
    // It fails before any agent has cost anything, and no token is reported as granted.
    expect(await runsOf(refused)).toEqual([["analyze", "agent", "sandbox_refused"]]);
    expect(await night.runs(refused.id)).toMatchObject([{ status: "failed", costUsd: 0 }]);
    expect(await printGranted(night, refused)).toBe("");
    await night.close();
    await open(script, { userSettings: "sandbox: { mode: enforce }\n" });
    const { ports } = night.wired;
    const { open: openForge } = ports.forges;
    // All credentials are issued, except for the address that no run may reach.
    Object.assign(ports.forges, {
      open: (...args: Parameters<typeof openForge>) => {
        const forge = openForge(...args);
        return forge === null
          ? null
          : { ...forge, issueCredentials: () => ({ ...forge.issueCredentials(), network: [] }) };
      },
    });
    const task = await runNight();
    expect(task).toMatchObject({ status: "failed" });
    const run = (await night.runs(task.id)).find(({ role }) => role === "publish");
    expect(run).toMatchObject({ sandbox: "enforce" });
    const { lines } = await ports.runFiles.readTranscript(run?.id ?? "", 0, 1_000_000);
    expect(lines.filter(({ from }) => from === "stdout").map(({ text }) => text)).toEqual(["logged in"]);
    expect(await branchesOf(night)).toEqual([]);
    await expectNotPublished(night, task);
  });
});
