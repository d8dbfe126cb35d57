import { describe, expect, it } from "vitest";
import { resolveSettings } from "../../config/resolve/resolve-settings.ts";
import type { ProjectWritten, UserWritten } from "../../config/schema/schema.ts";
import type { StateAgent } from "../pipeline/pipeline.ts";
import { resolveRun } from "./resolve-run.ts";
import type { Settings } from "./settings.ts";
import type { TaskOptions } from "../task/task.ts";
import { REGISTRY } from "../../daemon/wire/registry.ts";

const STATE: StateAgent = {
  agent: null,
  model: null,
  timeoutMs: null,
  maxTurns: null,
  maxBudgetUsd: null,
  tools: null,
  commands: null,
};
const OPTIONS: TaskOptions = {
  agent: null,
  model: null,
  timeoutMs: null,
  budgetUsd: null,
  autoApprove: false,
  design: false,
};

function settingsOf(own: ProjectWritten = {}, user: UserWritten = {}): Settings {
  return resolveSettings({ project: "shop", timeZone: "UTC", user, own, instructions: "", kinds: REGISTRY });
}

describe("resolveRun", () => {
  it("lets each of the five layers override those below it", () => {
    const user: UserWritten = { roles: { review: { agent: "codex", model: "from-user", timeout: "40m" } } };
    const own: ProjectWritten = { roles: { review: { model: "from-project", timeout: "30m" } } };
    const state = { ...STATE, model: "from-state", timeoutMs: 20 };
    const options = { ...OPTIONS, model: "from-task", timeoutMs: 10 };
    const layers = [
      resolveRun(settingsOf(), STATE, OPTIONS, "review"),
      resolveRun(settingsOf({}, user), STATE, OPTIONS, "review"),
      resolveRun(settingsOf(own, user), STATE, OPTIONS, "review"),
      resolveRun(settingsOf(own, user), state, OPTIONS, "review"),
      resolveRun(settingsOf(own, user), state, options, "review"),
    ];
    expect(layers.map(({ agent, model, timeoutMs }) => [agent, model, timeoutMs])).toEqual([
      ["claude-code", "claude-sonnet-4-6", 600_000],
      ["codex", "from-user", 2_400_000],
      ["codex", "from-project", 1_800_000],
      ["codex", "from-state", 20],
      ["codex", "from-task", 10],
    ]);
  });

  it("limits only the roles that plan by the planning timeout", () => {
    const options = { ...OPTIONS, timeoutMs: 10, planningTimeoutMs: 5 };
    const timeouts = (["plan", "plan_revision", "execute", "design"] as const).map(
      (role) => resolveRun(settingsOf(), { ...STATE, timeoutMs: 20 }, options, role).timeoutMs,
    );
    expect(timeouts).toEqual([5, 5, 10, 10]);
    expect(resolveRun(settingsOf(), STATE, { ...OPTIONS, planningTimeoutMs: 5 }, "execute").timeoutMs).not.toBe(5);
  });

  it("lets each layer choose the agent", () => {
    const agentOf = (own: ProjectWritten, user: UserWritten, state = STATE, options = OPTIONS): string =>
      resolveRun(settingsOf(own, user), state, options, "implement").agent;
    expect(agentOf({}, { agent: "codex" })).toBe("codex");
    expect(agentOf({ agent: "gemini" }, { agent: "codex" })).toBe("gemini");
    expect(agentOf({ agent: "gemini", roles: { implement: { agent: "aider" } } }, {})).toBe("aider");
    expect(agentOf({ agent: "gemini" }, {}, { ...STATE, agent: "qwen" })).toBe("qwen");
    expect(agentOf({ agent: "gemini" }, {}, { ...STATE, agent: "qwen" }, { ...OPTIONS, agent: "opencode" })).toBe(
      "opencode",
    );
  });

  it("never uses a model that was chosen for another agent", () => {
    const settings = settingsOf({ agents: { codex: { model: "gpt" } }, roles: { review: { model: "claude-x" } } });
    expect(resolveRun(settings, STATE, { ...OPTIONS, agent: "codex" }, "review").model).toBe("gpt");
    expect(resolveRun(settings, STATE, { ...OPTIONS, agent: "gemini" }, "review").model).toBeNull();
    expect(resolveRun(settings, STATE, { ...OPTIONS, agent: "claude-code" }, "review").model).toBe("claude-x");
    const own = settingsOf({ roles: { review: { agent: "codex" } } }, { roles: { review: { model: "claude-x" } } });
    expect(resolveRun(own, STATE, OPTIONS, "review").model).toBeNull();
  });

  it("uses the smallest configured budget", () => {
    const settings = settingsOf({ budget: { run_usd: 5, task_usd: 15 }, roles: { review: { max_budget_usd: 8 } } });
    const budgetOf = (state: number | null, task: number | null): number | null =>
      resolveRun(settings, { ...STATE, maxBudgetUsd: state }, { ...OPTIONS, budgetUsd: task }, "review").maxBudgetUsd;
    expect(budgetOf(null, null)).toBe(5);
    expect(budgetOf(1000, 1000)).toBe(5);
    expect(budgetOf(3, null)).toBe(3);
    expect(budgetOf(null, 2)).toBe(2);
    expect(resolveRun(settingsOf(), STATE, OPTIONS, "review").maxBudgetUsd).toBeNull();
  });

  it("lists the known agents if the requested one is unknown", () => {
    expect(() => resolveRun(settingsOf(), STATE, { ...OPTIONS, agent: "clod" }, "plan")).toThrow(
      /no agent `clod`. Known agents: acp, aider, claude-code, /,
    );
  });

  it.each(["constructor", "__proto__", "toString"])("does not know an agent named %s", (agent) => {
    expect(() => resolveRun(settingsOf(), STATE, { ...OPTIONS, agent }, "plan")).toThrow(/There is no agent/);
  });

  it.each(["--yolo", "-x", "a b", "a\u0000b", "a\nb", ""])(
    "refuses the model %j, which is an argument of a program",
    (model) => {
      const inTask = () => resolveRun(settingsOf(), STATE, { ...OPTIONS, model }, "plan");
      const inState = () => resolveRun(settingsOf(), { ...STATE, model }, OPTIONS, "plan");
      for (const resolve of [inTask, inState]) expect(resolve).toThrow(/is not the name of a model/);
    },
  );

  it.each(["claude-opus-4-6", "openrouter/x-ai/grok:free", "@cf/meta/llama", "arn:aws:bedrock:eu::m/x-v1:0"])(
    "accepts the model %s",
    (model) => {
      expect(resolveRun(settingsOf(), STATE, { ...OPTIONS, model }, "plan").model).toBe(model);
    },
  );
});
