import { describe, expect, it } from "vitest";
import { base, problems } from "../../testing/base-pipeline.ts";

describe("broken pipelines", () => {
  it.each<[why: string, text: string, expected: readonly string[]]>([
    ["empty", " \n", ["1:1 : The file is empty"]],
    ["not a map", "- a\n", ["1:1 : Expected a pipeline: a map with name, start and states, found a list."]],
    ["a text", "hello\n", ['1:1 : Expected a pipeline: a map with name, start and states, found "hello".']],
    [
      "comments only",
      "# later\n",
      ["1:1 : The key `start` is missing.", "1:1 : The key `states` is missing.", "1:1 : The key `name` is missing."],
    ],
    ["a key twice", base({ 22: "  done: { end: failed }" }), ["22:3 : the key `done` is duplicated"]],
    ["an open bracket", base({ 20: "  done: { end: succeeded" }), ["21:"]],
    ["another name", base({ 1: "name: other" }), ['1:1 name: The name is "other", but the file is called "base".']],
    ["unknown top key", base({ 1: "name: base\nstat: x" }), ['2:1 stat: Unknown key "stat". Did you mean "start"?']],
    [
      "start misspelt",
      base({ 2: "start: implmenting" }),
      ['2:1 start: There is no state "implmenting". Did you mean "implementing"?'],
    ],
    [
      "start is an end",
      base({ 2: "start: done" }),
      [
        '2:1 start: A task cannot start in "done", which is an end.',
        '4:3 states.implementing: Nothing leads from "done"',
        '9:3 states.checking: Nothing leads from "done"',
        '15:3 states.looking: Nothing leads from "done"',
      ],
    ],
    [
      "no states",
      "name: base\nstart: a\nstates: {}\n",
      ["3:1 states: A pipeline has 1 to 200 states, this one has 0."],
    ],
    [
      "invalid state name",
      base({ 22: "  cancelled: { end: cancelled }\n  Über-Ende: { end: failed }" }),
      ['23:3 states."Über-Ende": Expected a name of lowercase letters'],
    ],
    [
      "state is not a map",
      base({ 20: "  done: yes" }),
      ['20:3 states.done: Expected a state: a map with one of agent, checks, publish, post, wait, end, found "yes".'],
    ],
    [
      "no step",
      base({ 20: "  done: {}" }),
      ["20:3 states.done: A state has exactly one of agent, checks, publish, post, wait, end; found none."],
    ],
    [
      "two steps",
      base({ 10: "    checks: true\n    publish: true" }),
      [
        "9:3 states.checking: A state has exactly one of agent, checks, publish, post, wait, end; found checks and publish.",
      ],
    ],
    [
      "unknown key of a state",
      base({ 5: "    agnet: implement" }),
      [
        "4:3 states.implementing: A state has exactly one of",
        '5:5 states.implementing.agnet: Unknown key "agnet". Did you mean "agent"?',
      ],
    ],
    [
      "the role publish, which only the engine may use",
      base({ 5: "    agent: publish" }),
      ['5:5 states.implementing.agent: Expected a role, found "publish".'],
    ],
    [
      "unknown role",
      base({ 5: "    agent: implment" }),
      ['5:5 states.implementing.agent: Expected a role, found "implment". Did you mean "implement"? Allowed: analyze,'],
    ],
    [
      "checks is not true",
      base({ 10: "    checks: yes" }),
      ['10:5 states.checking.checks: Expected `checks: true`, found "yes".'],
    ],
    [
      "unknown wait",
      base({ 18: "    wait: aproval" }),
      ['18:5 states.looking.wait: Expected a kind of wait, found "aproval". Did you mean "approval"?'],
    ],
    [
      "unknown end",
      base({ 21: "  failed: { end: fialed }" }),
      ['21:13 states.failed.end: Expected an end status, found "fialed". Did you mean "failed"?'],
    ],
    [
      "an end with edges",
      base({ 20: "  done: { end: succeeded, on: { approve: failed } }" }),
      ["20:27 states.done.on: An end has no `on`."],
    ],
    [
      "with on checks",
      base({ 10: "    checks: true\n    with: { timeout: 5m }" }),
      ["11:5 states.checking.with: Only a state with `agent` has `with`."],
    ],
    [
      "bad duration",
      base({ 5: "    agent: implement\n    with: { timeout: 5 minutes }" }),
      [
        '6:13 states.implementing.with.timeout: Expected a duration such as 30s, 10m or 2h, at most 7d, found "5 minutes".',
      ],
    ],
    [
      "unknown key of with",
      base({ 5: "    agent: implement\n    with: { max_turn: 5 }" }),
      ['6:13 states.implementing.with.max_turn: Unknown key "max_turn". Did you mean "max_turns"?'],
    ],
    [
      "bad numbers and lists",
      base({ 5: "    agent: implement\n    with:\n      max_turns: 1.5\n      max_budget_usd: -1\n      tools: Read" }),
      [
        "7:7 states.implementing.with.max_turns: Expected a whole number from 1 to 10000, found 1.5.",
        "8:7 states.implementing.with.max_budget_usd: Expected a number above 0",
        '9:7 states.implementing.with.tools: Expected a list of tools, found "Read".',
      ],
    ],
    [
      "unknown kind of plan",
      base({ 2: "start: implementing\nplan: staged" }),
      ['3:1 plan: Expected a kind of plan, found "staged". Allowed: document, execution.'],
    ],
    [
      "unknown outcome",
      base({ 7: "      implmented: checking" }),
      [
        '7:7 states.implementing.on.implmented: "implmented" is not an outcome. Did you mean "implemented"? This state can end in implemented, needs_info,',
      ],
    ],
    [
      "impossible outcome",
      base({ 8: "      no_changes: failed\n      verified: done" }),
      ['9:7 states.implementing.on.verified: "implementing" never ends in "verified".'],
    ],
    [
      "missing outcome",
      base({ 14: "" }),
      ['11:5 states.checking.on: "checking" can end in "policy_failed" but has no target for it.'],
    ],
    [
      "no outcomes",
      base({ 6: "", 7: "", 8: "" }),
      [
        '4:3 states.implementing: "implementing" can end in "implemented"',
        '4:3 states.implementing: No path leads from "implementing" to an end.',
        '9:3 states.checking: Nothing leads from "implementing" to "checking".',
        '15:3 states.looking: Nothing leads from "implementing" to "looking".',
        '20:3 states.done: Nothing leads from "implementing" to "done".',
      ],
    ],
    [
      "a role whose outcome has no target",
      base({ 19: "    on: { approve: done, reject: cancelled, revise: { to: implementing, role: verify } }" }),
      [
        '6:5 states.implementing.on: "implementing" can end in "verified"',
        '6:5 states.implementing.on: "implementing" can end in "verify_failed"',
      ],
    ],
    [
      "a role for a state without agent",
      base({ 12: "      checks_passed: { to: looking, role: review }" }),
      ['12:37 states.checking.on.checks_passed.role: "looking" is not a state with `agent`'],
    ],
    [
      "target misspelt",
      base({ 7: "      implemented: cheking" }),
      ['7:7 states.implementing.on.implemented: There is no state "cheking". Did you mean "checking"?'],
    ],
    [
      "target in a block misspelt",
      base({ 13: "      checks_failed:\n        to: implementing\n        limit: { repair: 3 }\n        else: faild" }),
      ['16:9 states.checking.on.checks_failed.else: There is no state "faild". Did you mean "failed"?'],
    ],
    [
      "target called constructor",
      base({ 8: "      no_changes: constructor" }),
      ['8:7 states.implementing.on.no_changes: There is no state "constructor".'],
    ],
    [
      "target is a number",
      base({ 8: "      no_changes: 3" }),
      [
        "8:7 states.implementing.on.no_changes: Expected a state, a map with `to` or `ask`, or a list of those, found 3.",
      ],
    ],
    [
      "target without to",
      base({ 8: "      no_changes: { role: implement }" }),
      ["8:7 states.implementing.on.no_changes: A target needs `to: <state>`"],
    ],
    [
      "unknown key of a target",
      base({ 8: "      no_changes: { to: failed, limt: { a: 1 } }" }),
      ['8:33 states.implementing.on.no_changes.limt: Unknown key "limt". Did you mean "limit"?'],
    ],
    [
      "ask and to",
      base({ 8: "      no_changes: { ask: choice, to: failed }" }),
      [
        "8:7 states.implementing.on.no_changes: `ask` waits for a person and returns to the same state, so it cannot be combined with to.",
      ],
    ],
    [
      "a limit without else",
      base({ 14: "      policy_failed: { to: implementing, limit: { repair: 3 } }" }),
      ["14:7 states.checking.on.policy_failed: A target with a `limit` needs an `else`"],
    ],
    [
      "an else without limit",
      base({ 8: "      no_changes: { to: failed, else: cancelled }" }),
      ["8:7 states.implementing.on.no_changes: The `else` of a target belongs to a `limit` or a `next`"],
    ],
    [
      "limit of zero",
      base({ 14: "      policy_failed: { to: implementing, limit: { other: 0 }, else: failed }" }),
      ["14:51 states.checking.on.policy_failed.limit.other: Expected a whole number from 1 to 100, found 0."],
    ],
    [
      "limit above 100",
      base({ 14: "      policy_failed: { to: implementing, limit: { other: 101 }, else: failed }" }),
      ["14:51 states.checking.on.policy_failed.limit.other: Expected a whole number from 1 to 100, found 101."],
    ],
    [
      "a limit without a name",
      base({ 14: "      policy_failed: { to: implementing, limit: 3, else: failed }" }),
      ["14:42 states.checking.on.policy_failed.limit: Expected a limit such as { repair: 3 }, found 3."],
    ],
    [
      "two limits in one",
      base({ 14: "      policy_failed: { to: implementing, limit: { a: 1, b: 2 }, else: failed }" }),
      ["14:42 states.checking.on.policy_failed.limit: Expected one limit such as { repair: 3 }, found 2."],
    ],
    [
      "a limit with two numbers",
      base({ 14: "      policy_failed: { to: implementing, limit: { repair: 4 }, else: failed }" }),
      ['14:51 states.checking.on.policy_failed.limit.repair: The limit "repair" is 3 in "checking" and 4 here.'],
    ],
    [
      "a loop without a limit",
      base({ 14: "      policy_failed: implementing" }),
      ["7:7 states.implementing.on.implemented: Nothing bounds the loop implementing → checking → implementing."],
    ],
    [
      "a loop on itself",
      base({ 14: "      policy_failed: checking" }),
      ["14:7 states.checking.on.policy_failed: Nothing bounds the loop checking → checking."],
    ],
    [
      "a loop through a wait that may be skipped",
      base({ 17: "    else: implementing" }),
      [
        "7:7 states.implementing.on.implemented: Nothing bounds the loop implementing → checking → looking → implementing.",
      ],
    ],
    [
      "an else that leads back",
      base({ 14: "      policy_failed: { to: implementing, limit: { repair: 3 }, else: checking }" }),
      ["14:64 states.checking.on.policy_failed.else: This `else` leads back without a limit: checking → checking."],
    ],
    [
      "an else that leads back later",
      base({ 14: "      policy_failed: { to: done, limit: { other: 3 }, else: implementing }" }),
      [
        "14:55 states.checking.on.policy_failed.else: This `else` leads back without a limit: checking → implementing → checking.",
      ],
    ],
    ["a condition without else", base({ 17: "" }), ["16:5 states.looking.when: A state with `when` needs an `else`"]],
    [
      "an else without condition",
      base({ 16: "" }),
      ["17:5 states.looking.else: The `else` of a state belongs to a `when`"],
    ],
    [
      "unknown fact",
      base({ 16: "    when: not froge" }),
      [
        '16:5 states.looking.when: Expected a condition, written `fact` or `not fact`, found "froge". Did you mean "forge"?',
      ],
    ],
    [
      "conditions in a cycle",
      base({
        17: "    else: waiting",
        22: "  cancelled: { end: cancelled }\n  waiting:\n    when: git\n    else: looking\n    wait: approval\n    on: { approve: done, reject: cancelled, revise: implementing }",
      }),
      ["17:5 states.looking.else: The conditions of looking → waiting → looking form a cycle."],
    ],
    [
      "a state that nothing leads to",
      base({ 22: "  cancelled: { end: cancelled }\n  lost:\n    publish: true\n    on: { published: done }" }),
      ['23:3 states.lost: Nothing leads from "implementing" to "lost".'],
    ],
    [
      "no path to an end",
      base({
        8: "      no_changes: stuck",
        22: "  cancelled: { end: cancelled }\n  stuck:\n    wait: choice\n    on: { chosen: stuck }",
      }),
      ['23:3 states.stuck: No path leads from "stuck" to an end.'],
    ],
    [
      "no end for cancelled",
      base({ 19: "    on: { approve: done, reject: failed, revise: implementing }", 22: "" }),
      ["3:1 states: There is no end for cancelled tasks."],
    ],
    [
      "some targets with a condition",
      base({ 8: "      no_changes: [{ to: failed, when: git }, done]" }),
      ["8:7 states.implementing.on.no_changes: In a list of targets, either each has a `when`"],
    ],
    [
      "an empty list",
      base({ 8: "      no_changes: []" }),
      ["8:7 states.implementing.on.no_changes: Expected 1 to 20 targets, found a list of 0."],
    ],
    [
      "next without each",
      base({ 8: "      no_changes: { next: item, to: implementing, else: failed }" }),
      ['8:21 states.implementing.on.no_changes.next: `next` names "item", but this pipeline has no list (`each`).'],
    ],
    [
      "next of another list",
      base({
        2: "start: implementing\neach: category",
        8: "      no_changes: { next: item, to: implementing, else: failed }",
      }),
      [
        '9:21 states.implementing.on.no_changes.next: `next` names "item", but the list of this pipeline is "category".',
      ],
    ],
    [
      "each without next",
      base({ 2: "start: implementing\neach: category" }),
      ["3:1 each: No edge has `next: category`"],
    ],
    [
      "next without else",
      base({ 2: "start: implementing\neach: item", 8: "      no_changes: { next: item, to: implementing }" }),
      ["9:7 states.implementing.on.no_changes: A target with a `next` needs an `else`"],
    ],
    [
      "limit and next",
      base({
        2: "start: implementing\neach: item",
        8: "      no_changes: { next: item, limit: { a: 1 }, to: implementing, else: failed }",
      }),
      ["9:7 states.implementing.on.no_changes: A target has a `limit` or a `next`, not both"],
    ],
    [
      "a condition in an else",
      base({ 14: "      policy_failed: { to: implementing, limit: { repair: 3 }, else: { to: failed, when: git } }" }),
      ['14:84 states.checking.on.policy_failed.else.when: Unknown key "when".'],
    ],
  ])("%s", (_why, text, expected) => {
    const found = problems(text);
    expect(found).toHaveLength(expected.length);
    for (const [index, start] of expected.entries()) expect(found[index]?.slice(0, start.length)).toBe(start);
  });

  it("reports the position of a tab", () => {
    expect(problems(base({ 5: "\tagent: implement" }))[0]).toBe(
      "5:1 : is indented with a tab; YAML allows spaces only",
    );
  });

  it("reports all kinds of problems at once, in the order of the text", () => {
    const text = base({
      1: "nam: base",
      5: "    agent: implment",
      14: "      policy_failed: { to: nowhere, limit: { repair: 300 }, else: failed }",
      16: "    when: froge",
    });
    expect(problems(text).map((problem) => problem.split(" ")[0])).toEqual([
      "1:1",
      "1:1",
      "5:5",
      "14:24",
      "14:46",
      "16:5",
    ]);
  });
});
