import { terminalJson } from "../../core/text/terminal-text.ts";
import type { DetectedForge, DetectedProject } from "./detect.ts";
import type { Tools } from "./detect-tools.ts";

/** Hosts that the set-up command downloads from, and whether the person granted them. */
export interface OfferedNetwork {
  readonly hosts: readonly string[];
  readonly isGranted: boolean;
}

const NO_NETWORK: OfferedNetwork = { hosts: [], isGranted: false };

/** Renders the nightshift.yaml that `init` writes: short, with comments, and only with detected values. */
export function renderInitConfig(detected: DetectedProject, network: OfferedNetwork = NO_NETWORK): string {
  return [
    "# Nightshift settings of this project. All keys: docs/configuration.md.",
    "# Later changes that request more permissions or money take effect after `nightshift trust`.",
    `project: ${scalar(detected.name)}`,
    `default_branch: ${scalar(detected.defaultBranch)}`,
    "",
    ...renderAgent(detected),
    "",
    ...renderForge(detected.forge),
    ...renderChecks(detected.tools),
    ...renderWorkspace(detected.tools),
    ...renderSandbox(detected.tools, network),
    ...renderImprove(),
    "# Who approves plans and merges: `person` or `auto`.",
    "gates: { plan: person, merge: person }",
    "",
    "# Maximum cost in USD. The limits in your config.yaml apply as well.",
    "budget: { run_usd: 5, task_usd: 15 }",
    "",
  ].join("\n");
}

function renderAgent({ agents, configuredAgent }: DetectedProject): string[] {
  const [first, second] = agents;
  if (configuredAgent !== null)
    return [
      `# Without an agent here, the agent ${configuredAgent} from your config.yaml is used.`,
      `# agent: ${first ?? configuredAgent}`,
    ];
  if (first === undefined)
    return [
      "# No agent CLI was found on PATH. `nightshift agents` shows what you can install.",
      "# agent: claude-code",
    ];
  const fallback =
    second === undefined ? [] : [`# fallback_agent: ${second}    # used when the first agent has used up its quota`];
  return [`# Found on PATH: ${agents.join(", ")}.`, `agent: ${first}`, ...fallback];
}

function renderForge(forge: DetectedForge | null): string[] {
  if (forge === null) return [];
  const url = forge.url === null ? "" : `url: ${scalar(forge.url)}, `;
  return [
    `# Nightshift opens change requests with the token in ${forge.tokenEnv}. Test it with nightshift doctor.`,
    "# With `kind: none`, Nightshift only pushes the branch.",
    `forge: { kind: ${forge.kind}, ${url}project: ${scalar(forge.project)}, token_env: ${forge.tokenEnv} }`,
    "",
  ];
}

function renderChecks({ checks, related, language, slow }: Tools): string[] {
  const entries = Object.entries(checks);
  if (entries.length === 0) {
    return [
      "# Commands that check a change. None were detected. Without any, only a person reviews changes.",
      "# checks:",
      "#   test: { command: make test }",
      "",
    ];
  }
  const timeout = slow ? ", timeout: 10m" : "";
  return [
    `# Commands that check a change${language === null ? "" : ` (${language})`}. An error rejects the change, a warning is only reported.`,
    "checks:",
    // Only a check named `lint` is a warning by default.
    ...entries.map(([name, command]) => {
      const severity = name.startsWith("lint-") ? ", severity: warning" : "";
      const forFiles = related[name] === undefined ? "" : `, related: ${scalar(related[name])}`;
      return `  ${name}: { command: ${scalar(command)}${forFiles}${severity}${timeout} }`;
    }),
    "",
  ];
}

function renderWorkspace({ setup }: Tools): string[] {
  if (setup === null)
    return ["# Prepares a fresh checkout before work begins.", "# workspace: { setup: make deps }", ""];
  return ["# Prepares a fresh checkout before work begins.", `workspace: { setup: ${scalar(setup)} }`, ""];
}

function renderSandbox({ commands, setup }: Tools, { hosts, isGranted }: OfferedNetwork): string[] {
  const shown = hosts.length === 0 ? "packages.example.com" : hosts.map(scalar).join(", ");
  return [
    "# Programs that agents may run, and hosts that agents, checks and setup may connect to. Default: none.",
    "sandbox:",
    `  commands: [${commands.map(scalar).join(", ")}]`,
    ...(setup === null
      ? []
      : [`${isGranted ? " " : "#  "} network: [${shown}]    # hosts that workspace.setup downloads from`]),
    "",
  ];
}

function renderImprove(): string[] {
  return [
    "# One small verified improvement per night. Preview: nightshift improve --category docs --dry-run",
    "# improve:",
    '#   schedule: "0 2 * * 1-5"    # in time_zone; default: the time zone of the machine',
    "#   categories: { monday: [tests], tuesday: [refactoring], wednesday: [docs], thursday: [security], friday: [performance] }",
    "",
  ];
}

/** Quotes the value unless YAML reads it back as the same text. */
function scalar(value: string): string {
  const isPlain =
    /^[A-Za-z./][A-Za-z0-9 ./_-]*$/.test(value) &&
    !/^(true|false|null|yes|no|on|off|\.inf|\.nan)$/i.test(value) &&
    !value.endsWith(" ");
  if (isPlain) return value;
  // JSON allows some invisible characters that YAML forbids or that hide text in an editor.
  return terminalJson(value);
}
