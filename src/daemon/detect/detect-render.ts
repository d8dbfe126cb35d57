import type { DetectedForge, DetectedProject } from "./detect.ts";
import type { Tools } from "./detect-tools.ts";

/** The nightshift.yaml that `init` writes: short, commented, and only what was found. */
export function renderInitConfig(detected: DetectedProject): string {
  return [
    "# What Nightshift may do in this project. Every key: docs/configuration.md.",
    "# A later change that widens rights or spending counts after `nightshift trust`.",
    `project: ${scalar(detected.name)}`,
    `default_branch: ${scalar(detected.defaultBranch)}`,
    "",
    ...renderAgent(detected),
    "",
    ...renderForge(detected.forge),
    ...renderChecks(detected.tools),
    ...renderWorkspace(detected.tools),
    ...renderSandbox(detected.tools),
    ...renderImprove(),
    "# Where a person decides: `person` or `auto`.",
    "gates: { plan: person, merge: person }",
    "",
    "# Limits of money in USD; those of your own config.yaml hold as well.",
    "budget: { run_usd: 5, task_usd: 15 }",
    "",
  ].join("\n");
}

function renderAgent({ agents, configuredAgent }: DetectedProject): string[] {
  const [first, second] = agents;
  if (configuredAgent !== null)
    return [
      `# Your own config.yaml names the agent ${configuredAgent}, which is used where this file names none.`,
      `# agent: ${first ?? configuredAgent}`,
    ];
  if (first === undefined)
    return [
      "# No agent CLI was found on PATH; `nightshift agents` says what can be installed.",
      "# agent: claude-code",
    ];
  const fallback =
    second === undefined ? [] : [`# fallback_agent: ${second}    # takes over when the first has used up its quota`];
  return [`# Found on PATH: ${agents.join(", ")}.`, `agent: ${first}`, ...fallback];
}

function renderForge(forge: DetectedForge | null): string[] {
  if (forge === null) return [];
  const url = forge.url === null ? "" : `url: ${scalar(forge.url)}, `;
  return [
    `# Change requests are opened with the token in ${forge.tokenEnv}; nightshift doctor tries it.`,
    "# With `kind: none` the branch is pushed and that is all.",
    `forge: { kind: ${forge.kind}, ${url}project: ${scalar(forge.project)}, token_env: ${forge.tokenEnv} }`,
    "",
  ];
}

function renderChecks({ checks, language, slow }: Tools): string[] {
  const entries = Object.entries(checks);
  if (entries.length === 0) {
    return [
      "# Commands that judge a change. None was found; without any, only a person does.",
      "# checks:",
      "#   test: { command: make test }",
      "",
    ];
  }
  const timeout = slow ? ", timeout: 10m" : "";
  return [
    `# Commands that judge a change${language === null ? "" : ` (${language})`}. A warning is shown, an error sends it back.`,
    "checks:",
    ...entries.map(([name, command]) => `  ${name}: { command: ${scalar(command)}${timeout} }`),
    "",
  ];
}

function renderWorkspace({ setup }: Tools): string[] {
  if (setup === null)
    return ["# Prepares a fresh checkout before work begins.", "# workspace: { setup: make deps }", ""];
  return ["# Prepares a fresh checkout before work begins.", `workspace: { setup: ${scalar(setup)} }`, ""];
}

function renderSandbox({ commands, setup }: Tools): string[] {
  return [
    "# Programs that agents may call, and hosts that they, the checks and the setup may reach: none unless named.",
    "sandbox:",
    `  commands: [${commands.map(scalar).join(", ")}]`,
    ...(setup === null ? [] : [`#   network: [packages.example.com]    # hosts that workspace.setup downloads from`]),
    "",
  ];
}

function renderImprove(): string[] {
  return [
    "# One small verified improvement a night. Look first: nightshift improve --category docs --dry-run",
    "# improve:",
    '#   schedule: "0 2 * * 1-5"    # in time_zone, which is the machine\'s unless this file names one',
    "#   categories: { monday: [tests], tuesday: [refactoring], wednesday: [docs], thursday: [security], friday: [performance] }",
    "",
  ];
}

/** Plain where YAML reads it back as the same text, quoted otherwise. */
function scalar(value: string): string {
  const isPlain =
    /^[A-Za-z./][A-Za-z0-9 ./_-]*$/.test(value) &&
    !/^(true|false|null|yes|no|on|off|\.inf|\.nan)$/i.test(value) &&
    !value.endsWith(" ");
  return isPlain ? value : JSON.stringify(value);
}
