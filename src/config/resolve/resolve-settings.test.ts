import { describe, expect, it } from "vitest";
import type { Settings } from "../../core/settings/settings.ts";
import { resolvePaths } from "../files/resolve-paths.ts";
import { resolveSettings } from "./resolve-settings.ts";
import type { ProjectWritten, UserWritten } from "../schema/schema.ts";
import { REGISTRY } from "../../daemon/wire/registry.ts";

function resolve(own: ProjectWritten, user: UserWritten = {}): Settings {
  const layers = { project: "shop", timeZone: "Europe/Oslo", user, own, instructions: "Be brief." };
  return resolveSettings({ ...layers, kinds: REGISTRY });
}

describe("resolveSettings", () => {
  it("starts MCP servers in the sandbox by default, and the project's definition replaces the user's", () => {
    const written = {
      mcp: { notes: { command: ["./bin/notes", "./bin"], tools: ["add"] }, wiki: { command: ["wiki"] } },
    };
    const user: UserWritten = { mcp: { notes: { command: ["old"], run: "outside", secrets: ["TOKEN"] } } };
    expect(resolve(resolvePaths(written, "/shop", REGISTRY.agents), user).mcp).toEqual({
      notes: { command: ["/shop/bin/notes", "./bin"], run: "inside", environment: {}, secrets: [], tools: ["add"] },
      wiki: { command: ["wiki"], run: "inside", environment: {}, secrets: [], tools: null },
    });
  });

  it("has a default for everything", () => {
    const settings = resolve({});
    expect(settings).toMatchObject({
      project: "shop",
      defaultBranch: null,
      timeZone: "Europe/Oslo",
      forge: null,
      agent: "claude-code",
      fallbackAgent: null,
      checks: [],
      failOnWarning: false,
      repairAttempts: 3,
      workspace: {
        setup: null,
        setupTimeoutMs: 600_000,
        branch: "agent/{{slug}}-{{id}}",
        rebase: true,
        copy: [],
        link: [],
        ports: 10,
      },
      sandbox: { mode: "enforce", write: [], read: [], network: [], privateHosts: [], commands: null },
      secrets: {},
      mcp: {},
      budget: { runUsd: null, taskUsd: null, nightUsd: null, monthUsd: null, runTokens: null },
      limits: { concurrentRuns: 2, openChangeRequests: 3, taskTimeoutMs: 14_400_000 },
      gates: { plan: "person", merge: "person" },
      autoApprove: null,
      commitTrailer: "",
      instructions: "Be brief.",
    });
    expect(settings.roles.review).toMatchObject({
      timeoutMs: 600_000,
      idleMs: 600_000,
      stuck: { repeats: 20, editMs: 1_200_000, editTokens: 100_000 },
      maxTurns: 50,
      model: null,
      commands: null,
    });
    expect(settings.roles.verify.tools).toEqual(["Read", "Glob", "Grep"]);
    expect(Object.keys(settings.agents)).toEqual([
      "claude-code",
      "codex",
      "gemini",
      "qwen",
      "opencode",
      "cursor",
      "aider",
      "acp",
      "command",
      "scripted",
    ]);
  });

  it("applies the defaults of checks", () => {
    const { checks } = resolve({
      checks: {
        lint: { command: "l" },
        test: { command: "t", timeout: "5m", roles: ["review"] },
        old: { command: "o", enabled: false },
        "no-secrets": { enabled: true },
      },
    });
    expect(checks).toEqual([
      {
        name: "lint",
        command: "l",
        related: null,
        severity: "warning",
        roles: ["implement", "request_changes"],
        timeoutMs: 120_000,
      },
      { name: "test", command: "t", related: null, severity: "error", roles: ["review"], timeoutMs: 300_000 },
    ]);
  });

  it("prefers the project's values to the user's defaults", () => {
    const settings = resolve(
      { agent: "codex", forge: { kind: "gitlab", project: "a/b" }, checks: { test: { command: "ours" } } },
      {
        agent: "gemini",
        forge: { kind: "gitlab", url: "https://g.example.com", webhook_secret_env: "HOOK" },
        checks: { test: { command: "users" }, lint: { command: "l" } },
      },
    );
    expect(settings.agent).toBe("codex");
    expect(settings.forge).toMatchObject({ url: "https://g.example.com", project: "a/b", webhookSecretEnv: "HOOK" });
    expect(settings.checks.map(({ command }) => command)).toEqual(["ours", "l"]);
    expect(resolve({ forge: { kind: "none" } }, { forge: { kind: "github" } }).forge).toBeNull();
  });

  it("limits a project to the user's amounts", () => {
    const user: UserWritten = {
      budget: { run_usd: 5, night_usd: 20 },
      limits: { concurrent_runs: 3, task_timeout: "2h" },
      roles: { implement: { timeout: "20m", max_turns: 50, max_budget_usd: 2 } },
      repair_attempts: 1,
    };
    const asks = (own: ProjectWritten) => resolve(own, user);
    const more = asks({
      budget: { run_usd: 100, night_usd: 100, month_usd: 7 },
      limits: { concurrent_runs: 50, task_timeout: "1d" },
      roles: { implement: { timeout: "3h", max_turns: 900, max_budget_usd: 50 } },
      repair_attempts: 9,
    });
    expect(more.budget).toMatchObject({ runUsd: 5, nightUsd: 20, monthUsd: 7 });
    // The budget of all projects together comes only from the user.
    expect(more.commonBudget).toMatchObject({ nightUsd: 20, monthUsd: null });
    const elsewhere = resolve({ time_zone: "Asia/Tokyo" }, { ...user, time_zone: "Europe/Paris" });
    expect([elsewhere.timeZone, elsewhere.commonBudget.timeZone]).toEqual(["Asia/Tokyo", "Europe/Paris"]);
    expect(more.limits).toMatchObject({ concurrentRuns: 3, taskTimeoutMs: 7_200_000 });
    expect(more.roles.implement).toMatchObject({ timeoutMs: 1_200_000, maxTurns: 50, maxBudgetUsd: 2 });
    expect(more.repairAttempts).toBe(1);
    const less = asks({
      budget: { run_usd: 0 },
      limits: { concurrent_runs: 1 },
      roles: { implement: { timeout: "1m" } },
    });
    expect([less.budget.runUsd, less.limits.concurrentRuns, less.roles.implement.timeoutMs]).toEqual([0, 1, 60_000]);
  });

  it("takes the private hosts only from the user", () => {
    const hosts = { sandbox: { private_hosts: ["npm.corp.example:443"] } };
    expect(resolve(hosts as ProjectWritten).sandbox.privateHosts).toEqual([]); // the schema refuses it; so does this
    expect(resolve({}, hosts).sandbox.privateHosts).toEqual(["npm.corp.example:443"]);
  });

  it("takes the sandbox mode only from the user", () => {
    const hostile = { sandbox: { mode: "none" } } as ProjectWritten; // the schema refuses it; so does this
    expect(resolve(hostile).sandbox.mode).toBe("enforce");
    expect(resolve({}, { sandbox: { mode: "external" } }).sandbox.mode).toBe("external");
  });
});

describe("resolvePaths", () => {
  it("resolves paths relative to their file and does not change other words", () => {
    const written: UserWritten = {
      agents: {
        mine: { kind: "command", command: ["tools/agent", "./a.json", "a/b", "--x"] },
        play: { kind: "scripted", script: "happy" },
        file: { kind: "scripted", script: "s/x.json" },
      },
      roles: { review: { prompt: "p.md" } },
      sandbox: { read: ["../docs", "/opt"], network: ["a.example.com"] },
    };
    expect(resolvePaths(written, "/repo", REGISTRY.agents)).toEqual({
      agents: {
        mine: { kind: "command", command: ["/repo/tools/agent", "/repo/a.json", "a/b", "--x"] },
        play: { kind: "scripted", script: "happy" },
        file: { kind: "scripted", script: "/repo/s/x.json" },
      },
      roles: { review: { prompt: "/repo/p.md" } },
      sandbox: { read: ["/docs", "/opt"], network: ["a.example.com"] },
    });
  });
});
