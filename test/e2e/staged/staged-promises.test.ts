import { ALICE } from "../../support/night.ts";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Night } from "../../support/night.ts";
import { openStaged, PLAN, runApproved } from "../../support/staged.ts";

let night: Night | null = null;

afterEach(async () => {
  await night?.close();
  night = null;
});

/** Asks the proxy of the sandbox for connections, one after the other, as every HTTPS client does. */
const connectTo = (...hosts: readonly string[]) => `node -e '
  const proxy = new URL(process.env.HTTPS_PROXY);
  const hosts = "${hosts.join(" ")}".split(" ");
  const next = () => {
    const path = hosts.shift();
    if (path === undefined) process.exit(0);
    const request = require("http").request({ host: proxy.hostname, port: proxy.port, method: "CONNECT", path, agent: false });
    request.on("connect", next).on("response", next).on("error", next).end();
  };
  next()'`;

describe("an executor that reports success", { timeout: 60_000 }, () => {
  const userSettings = "sandbox: { mode: enforce, network: ['10.1.2.3:443', 'registry.example:443'] }\n";
  const plans = [{ ...PLAN, network: ["10.1.2.3:443"] }];

  it("was refused by the sandbox if it was denied a host that the approved plan grants", async () => {
    night = await openStaged({ plans, userSettings, execute: connectTo("10.1.2.3:443") });
    const task = await runApproved(night);
    expect(task).toMatchObject({ status: "failed", outcome: "sandbox_refused" });
    expect(task.reason).toContain("denied what the approved plan grants");
    expect(task.reason).toContain("10.1.2.3:443");
  });

  it("was refused even if hundreds of other denials came before", async () => {
    const flood = Array.from({ length: 300 }, (_, n) => `h${n}.example:443`);
    night = await openStaged({ plans, userSettings, execute: connectTo(...flood, "10.1.2.3:443") });
    const task = await runApproved(night);
    expect(task).toMatchObject({ status: "failed", outcome: "sandbox_refused" });
    expect(task.reason).toContain("10.1.2.3:443");
    const events = await night.wired.ports.store.events.listEvents({ after: 0, task: task.id, limit: 1000 });
    expect(events.filter(({ type }) => type === "run.denied")).toHaveLength(101);
  });

  it("succeeds if it was denied only what its plan does not grant", async () => {
    night = await openStaged({ plans, userSettings, execute: connectTo("registry.example:443") });
    const task = await runApproved(night);
    expect(task).toMatchObject({ status: "succeeded" });
    const events = await night.wired.ports.store.events.listEvents({ after: 0, task: task.id, limit: 1000 });
    expect(events.filter(({ type }) => type === "run.denied")).toHaveLength(1);
  });

  it("fails if its files still contain a secret after a second try, which is shown nowhere", async () => {
    const secret = ["ghp", "Zx81kQ7mP3vN9tR5wY2bC6dF8gH4jL0sA1eU"].join("_");
    night = await openStaged({
      plans: [PLAN],
      execute: `printf 'token: ghp_%s\\n' ${secret.slice(4)} > reports/parsers.md`,
    });
    const task = await runApproved(night);
    expect(task).toMatchObject({ status: "failed", outcome: "policy_failed" });
    expect(task.reason).toContain("reports/parsers.md");
    const stored = [task, await night.runs(task.id), await night.wired.ports.store.tasks.listChecks(task.id)];
    expect(JSON.stringify(stored)).not.toContain(secret);
    const written = join(night.repo.checkout, "reports/parsers.md");
    const apply = { force: false, dryRun: false };
    await expect(night.commands.apply(task.id, apply, ALICE)).rejects.toThrow(
      /its files contain secrets:\n.*reports\/parsers\.md/,
    );
    await expect(readFile(written)).rejects.toThrow("ENOENT");
    await night.commands.apply(task.id, { ...apply, force: true }, ALICE);
    expect(await readFile(written, "utf8")).toContain("token: ghp_");
  });

  it("leaves no trace of a file that its first try created and its second try deleted", async () => {
    night = await openStaged({
      plans: [PLAN],
      execute: `if [ -e reports/draft.md ]; then rm reports/draft.md; echo fine > reports/parsers.md
        else printf 'token: ghp_%s\\n' Zx81kQ7mP3vN9tR5wY2bC6dF8gH4jL0sA1eU > reports/draft.md; fi`,
    });
    const task = await runApproved(night);
    expect(task).toMatchObject({ status: "succeeded" });
    const artifacts = await night.wired.ports.store.tasks.listArtifacts(task.id);
    const files = artifacts.filter(({ type }) => type === "file");
    expect(files.map(({ label, data }) => [label, data["change"]])).toEqual([["reports/parsers.md", "created"]]);
  });
});

describe("estimates of a planner", { timeout: 60_000 }, () => {
  it("are compared with the last runs of the project, if there are at least three", async () => {
    const { submit, settled } = (night = await openStaged({ plans: [PLAN] }));
    const plans: unknown[] = [];
    for (let each = 0; each < 4; each++)
      plans.push((await settled((await submit({ pipeline: "staged", autoApprove: true })).id)).plan);
    expect(plans.slice(0, 3).filter((plan) => JSON.stringify(plan).includes("past_estimates"))).toEqual([]);
    // The agent reports no tokens and no cost, and a minute was planned.
    const minutes = expect.toSatisfy((ratio: number) => ratio > 0 && ratio < 1);
    expect(plans[3]).toMatchObject({ past_estimates: { runs: 3, tokens: null, minutes, usd: null } });
  });
});
