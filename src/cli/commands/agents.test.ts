import { expect, test } from "vitest";
import { describeAgents } from "./agents.ts";

const agent = {
  kind: "command",
  program: null,
  version: null,
  oldest_version: null,
  problem: null,
  parked_until: null,
  parked_for: null,
  parked_reason: null,
};

test("agents: the reason and what to install are complete, in any terminal", () => {
  const install = "`npm install -g @anthropic-ai/claude-code@2.1.0`";
  const found = [
    {
      ...agent,
      name: "claude-code",
      usable: false,
      problem: `claude is not on the daemon's PATH. Install it by ${install}.`,
    },
    {
      ...agent,
      name: "mine",
      usable: true,
      program: "/home/me/some/very/long/path/to/tools/my-agent",
      version: "1.2.3",
      oldest_version: "1.1.0",
    },
  ];
  for (const width of [60, 80, 120, undefined])
    expect(describeAgents({ color: false, width }, found)).toContain(install);
  expect(describeAgents({ color: false, width: 60 }, found).split("\n").slice(0, 4)).toEqual([
    "AGENT        USABLE  VERSION  NEEDED          PROGRAM",
    "claude-code  no",
    "mine         yes     1.2.3    1.1.0 or newer  …ools/my-agent",
    "",
  ]);
});

test("agents: a parked agent shows what it needs, when it is tried again, and how to try it now", () => {
  const parked = {
    parked_until: "2020-01-01T00:00:00.000Z",
    parked_for: "login",
    parked_reason: "the key expired",
  } as const;
  const printed = describeAgents({ color: false, width: undefined }, [
    { ...agent, name: "codex", usable: true, ...parked },
    { ...agent, name: "mine", usable: true },
  ]);
  expect(printed).toContain("codex  parked");
  expect(printed).toContain("mine   yes");
  expect(printed).toContain(
    "codex needs a login: the key expired. Next attempt now; try it now: nightshift agents --retry codex",
  );
});
