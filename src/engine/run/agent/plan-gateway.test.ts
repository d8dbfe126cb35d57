import { describe, expect, it } from "vitest";
import type { RunSettings } from "../../../core/settings/resolve-run.ts";
import type { Agent } from "../../../ports/agent.ts";
import { planGateway } from "./start-agent.ts";
import { StepEnd, type StepContext } from "../step-context.ts";

const KEY = ["sk", "ant", "real", "f00dfeedbeef"].join("-");

function plan(env: Readonly<Record<string, string>>) {
  const context = {
    ports: {
      host: { env },
      digest: (text: string) => text,
      clock: { newId: () => "run_1" },
      agents: { prices: {} },
    },
    run: { id: "run_1", token: 1 },
    settings: { budget: { runTokens: null } },
  } as unknown as StepContext;
  const agent = { kind: "claude", capabilities: { gateway: "anthropic" } } as Agent;
  return planGateway(context, agent, { maxBudgetUsd: null } as RunSettings);
}

function refusal(key: string): unknown {
  try {
    return plan({ ANTHROPIC_API_KEY: key });
  } catch (error) {
    return error;
  }
}

describe("planGateway: the key of the model", () => {
  it("is trimmed", () => {
    expect(plan({ ANTHROPIC_API_KEY: ` ${KEY}\r\n` })?.keys).toEqual({ ANTHROPIC_API_KEY: KEY });
  });

  it.each([
    ["a line break", `${KEY}\n${KEY}`, "a line break"],
    ["a space", `${KEY} ${KEY}`, "white space"],
    ["a control character", `${KEY}\u0000x`, "control or non-ASCII characters"],
    ["a non-ASCII character", `${KEY}ü`, "control or non-ASCII characters"],
  ])("is rejected and not shown if it contains %s", (_, key, found) => {
    const error = refusal(key);
    expect(error).toBeInstanceOf(StepEnd);
    expect(error).toMatchObject({
      outcome: { name: "login_expired" },
      message: expect.stringContaining(`ANTHROPIC_API_KEY is not a valid key: it contains ${found};`),
    });
    expect(String(error)).not.toContain(KEY);
  });

  it("is missing if it is only white space", () => {
    expect(refusal(" \n")).toMatchObject({
      outcome: { name: "login_expired" },
      message: expect.stringContaining("no API key"),
    });
  });
});
