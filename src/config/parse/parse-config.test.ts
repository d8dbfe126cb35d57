import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../core/text/errors.ts";
import { REGISTRY } from "../../daemon/wire/registry.ts";

/** Every key of the documented example. */
const EXAMPLE = `
project: shop
default_branch: main
time_zone: Europe/Paris
database: postgres://db.example.com/nightshift
forge: { kind: gitlab, url: https://gitlab.example.com, project: team/shop, token_env: GITLAB_TOKEN, reviewer: alice, draft: false }
agent: claude-code
fallback_agent: codex
agents:
  claude-code: { model: claude-opus-4-6 }
  mine: { kind: command, command: ["./tools/my-agent"], prompt: stdin }
roles:
  review: { agent: codex, model: gpt-5, timeout: 10m, max_turns: 5, max_budget_usd: 1.5, tools: [Read], commands: [git], prompt: p.md, append: Be kind. }
checks:
  build: { command: npm run build, severity: error, roles: [implement, request_changes], timeout: 2m }
  test:  { command: npm test, related: "npx vitest related --run {{files}}" }
  no-secrets: { enabled: true }
fail_on_warning: false
repair_attempts: 3
workspace: { setup: npm ci, branch: "agent/{{slug}}-{{id}}", rebase: true, keep_uncommitted: false, copy: [.env.test], ports: 10 }
sandbox: { mode: enforce, write: [], read: [], network: [packages.example.com], commands: [git, node, npm, "sbt compile"] }
secrets: { NPM_TOKEN: { roles: [implement] } }
mcp: { jira: { command: [jira-mcp], secrets: [JIRA_TOKEN], tools: [search] } }
budget: { run_usd: 5, task_usd: 15, night_usd: 20, month_usd: 200, run_tokens: 2000000 }
limits: { concurrent_runs: 2, open_change_requests: 3, task_timeout: 4h }
gates: { plan: person, merge: person }
commit_trailer: ""
improve:
  schedule: "0 2 * * 1-5"
  categories: { monday: [tests], tuesday: [refactoring], wednesday: [docs], thursday: [security], friday: [performance] }
  max_diff_lines: 100
  avoid_recent_commits: 10
  publish: engine
  variables: { team: payments }
schedules:
  - { name: weekly-audit, cron: "0 3 * * 0", pipeline: staged, title: Audit dependencies, description: "…", auto_approve: true }
notify:
  ntfy: { url: https://ntfy.example.com, topic: my-night, token_env: NTFY_TOKEN, on: [finished, failed, waiting] }
  slack: { channel: "#nightshift" }
  webhook: { url: https://example.com/hook, secret_env: HOOK_SECRET }
  confluence: { url: https://wiki.example.com, page_id: "123", user: bot, token_env: CONFLUENCE_TOKEN }
  heartbeat: { url: https://example.com/ping }
`;

function problemsOf(parse: () => unknown): string[] {
  try {
    parse();
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n");
    throw error;
  }
  return [];
}

const inProject = (text: string): string[] => problemsOf(() => REGISTRY.format.parseProject(text, "n.yaml"));

describe("parseUser", () => {
  it("accepts every key of the documented example", () => {
    const { written } = REGISTRY.format.parseUser(EXAMPLE, "config.yaml");
    expect(Object.keys(written)).toHaveLength(23);
    expect(written.schedules?.[0]?.name).toBe("weekly-audit");
  });
});

describe("parseProject", () => {
  it("refuses private hosts in a project's file", () => {
    expect(inProject("sandbox: { private_hosts: ['a.corp.example:443'] }\n")).toEqual([
      expect.stringContaining("sandbox.private_hosts: this key is allowed only in config.yaml"),
    ]);
  });

  it("refuses the sandbox mode and the database in a project's file", () => {
    expect(inProject(EXAMPLE)).toEqual([
      "n.yaml:5:1: database: this key is allowed only in config.yaml; remove it from the project's file",
      "n.yaml:21:12: sandbox.mode: this key is allowed only in config.yaml; remove it from the project's file",
    ]);
  });

  it.each(["", "\n", "# only a comment\n", "---\n", "checks:\n", "\uFEFFagent: codex\n"])(
    "takes %j as a file with few settings or none",
    (text) => {
      expect(inProject(text)).toEqual([]);
    },
  );

  it("reports all problems at once, with their positions", () => {
    const text =
      "buget: { run_usd: 5 }\nroles:\n  reviewer: {}\nlimits: { task_timeout: 4 hours }\nbudget:\n  run_usd: -1\nrepair_attempts: two\nchecks:\n  test: { severity: fatal, comand: x }\n";
    expect(inProject(text)).toEqual([
      expect.stringMatching(
        /^n\.yaml:1:1: buget: unknown key `buget`; did you mean `budget`\? allowed: project, default_branch, /,
      ),
      expect.stringMatching(
        /^n\.yaml:3:3: roles\.reviewer: unknown key `reviewer`; did you mean `review`\? allowed: analyze, /,
      ),
      'n.yaml:4:25: limits.task_timeout: found `"4 hours"`; allowed: a duration such as 30s, 10m or 2h, at most 7d',
      "n.yaml:6:12: budget.run_usd: found `-1`; allowed: at least 0",
      'n.yaml:7:18: repair_attempts: found `"two"`; allowed: a number',
      'n.yaml:9:21: checks.test.severity: found `"fatal"`; allowed: `error`, `warning`',
      expect.stringMatching(/^n\.yaml:9:28: checks\.test\.comand: unknown key `comand`; did you mean `command`\?/),
    ]);
  });

  it.each([
    ["- a\n", /found a list; allowed: keys and values/],
    ["just words", /found `"just words"`; allowed: keys and values/],
    ["a: 1\na: 2\n", /n\.yaml:2:1: the key `a` is duplicated/],
    ["limits:\n\tconcurrent_runs: 1\n", /n\.yaml:2:1: is indented with a tab/],
    ["agent: [", /is not valid YAML/],
    ["agent: a\n---\nagent: b\n", /n\.yaml:2:1: contains more than one document/],
    ["agent: *nobody\n", /alias without an anchor above/],
    ["agent: !!js/function x\n", /is not valid YAML: Unresolved tag/],
    [
      "workspace: { keep_uncommitted: true }\n",
      /workspace\.keep_uncommitted: found `true`; allowed: `false`, because .* commit them, or list .* in `workspace\.copy`/,
    ],
    ["time_zone: Mars/Olympus\n", /time_zone: found `"Mars\/Olympus"`; allowed: a time zone of the IANA list/],
    ["improve: { schedule: every night }\n", /improve\.schedule: .* five cron fields/],
    ["improve: { schedule: '0 0 30 2 *' }\n", /improve\.schedule: .* that match a future date/],
    ["checks: { 'a b': { command: x } }\n", /n\.yaml:1:11: checks\.a b: this name is not valid; allowed: up to 40/],
    ["checks: { test: {} }\n", /checks\.test: needs `command`/],
    ["checks: { no-secrets: { command: x } }\n", /`no-secrets` is built in/],
    ["agents: { ../x: { kind: command, command: [x] } }\n", /this name is not valid/],
    ["agents: { mine: { command: [x] } }\n", /agents\.mine: is not a built-in agent and needs `kind`/],
    ["agents: { mine: { kind: command } }\n", /needs the key `command`: the program and its arguments/],
    ["agents: { codex: { command: [x] } }\n", /agents\.codex\.command: is allowed only for the kinds/],
    ["agents: { codex: { script: happy } }\n", /agents\.codex\.script: is allowed only for the kind `scripted`/],
    ["mcp: { nightshift: { command: [x] } }\n", /`nightshift` is reserved/],
    ["mcp: { a__b: { command: [x] } }\n", /single hyphens or underscores/],
    ["mcp: { a: { command: [] } }\n", /mcp\.a\.command: found an empty list; allowed: at least 1 entries/],
    ["mcp: { a: { command: [x], run: host } }\n", /mcp\.a\.run: found `"host"`; allowed: .*inside.*outside/],
    ["mcp: { a: { command: [x], secrets: [NIGHTSHIFT_TOKEN] } }\n", /mcp\.a\.secrets/],
    ["mcp: { a: { command: [x], tools: ['rm -rf'] } }\n", /up to 64 letters, digits/],
    ["secrets: { NIGHTSHIFT_TOKEN: { roles: [implement] } }\n", /this name is not valid/],
    [
      "secrets: { NPM_TOKEN: { roles: [] } }\n",
      /secrets\.NPM_TOKEN\.roles: found an empty list; allowed: at least 1 entries/,
    ],
    ["secrets: { NPM_TOKEN: }\n", /secrets\.NPM_TOKEN: found nothing; allowed: keys and values/],
    ["forge: { kind: gitlab, url: 'https://me:secret@example.com' }\n", /without user name and password/],
    ["forge: { kind: gitlab, url: 'file:///etc' }\n", /an http or https address/],
    ["forge: { draft: true }\n", /forge\.kind: found nothing; allowed: `gitlab`, `github`, `none`/],
    ["sandbox: { network: [a.example, 'b c'] }\n", /n\.yaml:1:33: sandbox\.network\.1: found `"b c"`; allowed: a host/],
    ["sandbox: { network: ['https://a.example'] }\n", /sandbox\.network\.0: .*no scheme, path or range/],
    ["sandbox: { network: ['a.example:0'] }\n", /sandbox\.network\.0: .*a port from 1 to 65535/],
    ["sandbox: { network: ['*'] }\n", /sandbox\.network\.0: .*nowhere else a `\*`/],
    [
      "sandbox: { network: [169.254.169.254] }\n",
      /sandbox\.network\.0: .*a link-local address, which no run may reach/,
    ],
    ["sandbox: { network: ['localhost:3000'] }\n", /sandbox\.network\.0: .*a loopback name, which no run may reach/],
    [
      "sandbox: { commands: [git, ../x] }\n",
      /n\.yaml:1:28: sandbox\.commands\.1: found `"\.\.\/x"`; allowed: a program's name/,
    ],
    ["sandbox: { commands: ['*'] }\n", /sandbox\.commands\.0: .*no `\*`/],
    ["sandbox: { commands: ['npm run *'] }\n", /sandbox\.commands\.0: .*no `\*`/],
    [
      "sandbox: { commands: [''] }\n",
      /^n\.yaml:1:23: sandbox\.commands\.0: found `""`; allowed: at least 1 characters$/,
    ],
    ["sandbox: { commands: [' '] }\n", /sandbox\.commands\.0: .*a program's name/],
    ["sandbox: { commands: [./tool] }\n", /sandbox\.commands\.0/],
    ["sandbox: { commands: [~/bin/tool] }\n", /sandbox\.commands\.0/],
    ["sandbox: { commands: [/usr/../bin/git] }\n", /sandbox\.commands\.0/],
    ["sandbox: { commands: [/usr/bin/] }\n", /sandbox\.commands\.0/],
    ['sandbox: { commands: ["git\\e[31m"] }\n', /sandbox\.commands\.0/],
    ['sandbox: { commands: ["git\\nlog"] }\n', /sandbox\.commands\.0/],
    ["sandbox: { commands: ['git;sh'] }\n", /sandbox\.commands\.0/],
    ["roles: { review: { commands: [a/b] } }\n", /roles\.review\.commands\.0: .*a program's name/],
    ["workspace: { copy: [../../etc/passwd] }\n", /workspace\.copy\.0: .* a path inside the repository/],
    ["workspace: { branch: main }\n", /workspace\.branch: .* with `\{\{id\}\}` or `\{\{slug\}\}`/],
    ["workspace: { branch: '--force {{id}}' }\n", /workspace\.branch/],
    ["limits: { task_timeout: 0s }\n", /limits\.task_timeout/],
    ["limits: { concurrent_runs: 1.5 }\n", /limits\.concurrent_runs: found `1\.5`/],
    [
      "schedules: [{ name: a, cron: '0 1 * * *', pipeline: chore, title: A }, { name: a, cron: '0 2 * * *', pipeline: chore, title: B }]\n",
      /found `a` twice/,
    ],
  ])("refuses %j", (text, problem) => {
    expect(inProject(text).join("\n")).toMatch(problem);
  });

  it("accepts programs by name and by path, with arguments", () => {
    const commands = [
      "g++",
      "python3.12",
      "sbt compile",
      "npm run test:unit",
      "/usr/bin/git",
      "/opt/my tool/bin/x",
      "7z",
    ];
    expect(inProject(`sandbox: { commands: ${JSON.stringify(commands)} }\n`)).toEqual([]);
  });

  it("shortens long values in messages", () => {
    const [problem] = inProject(`time_zone: ${"x".repeat(5000)}\n`);
    expect(problem?.length).toBeLessThan(300);
  });

  it.each([
    ["brackets", "[".repeat(900_000)],
    ["explicit keys", "? ".repeat(400_000)],
    ["dashes", "- ".repeat(400_000)],
    [
      "aliases",
      `a: &a [x,x,x,x,x,x,x,x,x]\n${["b", "c", "d", "e", "f", "g", "h"].map((k, i) => `${k}: &${k} [${`*${"abcdefgh"[i]},`.repeat(9)}]`).join("\n")}\n`,
    ],
    ["keys", Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join("\n")],
  ])("quickly refuses a bomb of %s", (_, text) => {
    const start = performance.now();
    expect(inProject(text).length).toBeGreaterThan(0);
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it("returns settings or throws ConfigError for any text", () => {
    const words = fc.constantFrom(
      "agent",
      "roles",
      "checks",
      ":",
      ": ",
      "\n",
      "  ",
      "- ",
      "[",
      "]",
      "{",
      "}",
      "&a",
      "*a",
      "'",
      '"',
      "__proto__",
      "1",
      "null",
      "\t",
      "|",
      "#",
      "!!",
      "?",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string()), { maxLength: 30 }), (parts) => {
        const text = parts.join("");
        try {
          return typeof REGISTRY.format.parseProject(text, "n.yaml").written === "object";
        } catch (error) {
          return error instanceof ConfigError && error.issues.length > 0;
        }
      }),
      { numRuns: 500 },
    );
  });
});
