import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { renderAgentTable, renderChannelTable, renderTokenTable } from "../../../scripts/render-kind-tables.ts";
import type { AgentDefinition } from "../../adapters/agents/definition.ts";
import { AGENTS } from "../../adapters/agents/index.ts";
import { MINIMAL_CAPABILITIES, parseEventLine } from "../../adapters/agents/shared/event-lines.ts";
import type { ForgeDefinition } from "../../adapters/forges/definition.ts";
import { FORGES } from "../../adapters/forges/index.ts";
import type { NotifierDefinition } from "../../adapters/notifiers/definition.ts";
import { NOTIFIERS } from "../../adapters/notifiers/index.ts";
import { toJsonSchema } from "../../config/schema/list-keys.ts";
import { environmentName, text } from "../../core/settings/values.ts";
import type { Settings } from "../../core/settings/settings.ts";
import { saveProject } from "../../engine/commands/project-commands.ts";
import type { Project } from "../../ports/store.ts";
import { sampleNotice, SILENT_LOG } from "../../testing/store/samples.ts";
import { createTempRepo, type TempRepo } from "../../testing/temp-repo.ts";
import { detectProject } from "../detect/detect.ts";
import { renderInitConfig } from "../detect/detect-render.ts";
import { checkMachine } from "../doctor/doctor.ts";
import { createKnownSecrets } from "../known-secrets.ts";
import { createRegistry } from "./registry.ts";
import { createHookVerifier } from "./wire-forges.ts";
import { wire, type Wired } from "./wire.ts";

// Each new agent, forge or notifier needs only one definition …

const parrotSettings = z.object({ phrase: text.optional(), cage_env: environmentName.optional() });
const parrot: AgentDefinition = {
  kind: "parrot",
  settings: parrotSettings,
  secretKeys: ["cage_env"],
  create: ({ options }) => ({
    kind: "parrot",
    capabilities: MINIMAL_CAPABILITIES,
    program: { name: "parrot-cli", versionArgs: ["--version"], oldest: "2.0.0", install: "Buy a parrot." },
    parseLine: parseEventLine,
    command: () => ({
      argv: ["parrot-cli", parrotSettings.parse(options).phrase ?? "hello"],
      env: {},
      prompt: "stdin",
      read: [],
      files: {},
    }),
  }),
  docs: { program: "`parrot-cli`", modelAccess: "–", reporting: "file", testedWith: "tests" },
};

const unused = () => Promise.reject(new Error("not part of this test"));
const hookCall = (secret: string) => ({
  header: (name: string) => (name === "x-tea" ? secret : null),
  body: () => Promise.reject(new Error("the body was read")),
});

const checkedForges: string[] = [];
const teahouse: ForgeDefinition = {
  kind: "teahouse",
  name: "Teahouse",
  settings: z.object({ pot_env: environmentName.optional() }),
  secretKeys: ["pot_env"],
  tokenEnv: "TEAHOUSE_LOGIN",
  site: {
    publicUrl: null,
    sshHost: null,
    isHost: (host) => host.startsWith("tea."),
    apiUrl: ({ web }) => `${web}/api/v1`,
    maxPathParts: 2,
    requestPath: /^request\/(\d+)$/,
    headRef: (number) => `refs/requests/${number}`,
    pathHint: "Write it as owner/name.",
  },
  gitUser: "guest",
  neededRights: "a cup",
  cli: {
    program: "tea",
    tokenVariable: () => "TEA_TOKEN",
    env: ({ host }) => ({ TEA_HOST: host }),
    openCommand: ({ project, title }, quote) => `tea open ${project} ${quote(title)}`,
  },
  isFromForge: async (secret, { header }) => header("x-tea") === secret,
  create({ api, project }) {
    const check = async () => {
      checkedForges.push(`${api} ${project}`);
      return ["The kettle is cold."];
    };
    const reading = { find: unused, listOpen: unused, read: unused, readState: unused, readIssue: unused };
    const following = { readCiFailures: unused, hasWriteAccess: unused };
    return { publish: unused, ...reading, ...following, merge: unused, close: unused, postReview: unused, check };
  },
  docs: [["personal", "a cup"]],
};

const paged: string[] = [];
const pagerSettings = z.object({ number: text, key_env: environmentName });
const pager: NotifierDefinition = {
  kind: "pager",
  summary: "Messages to a pager.",
  settings: pagerSettings,
  secretKeys: ["key_env"],
  isNightLog: false,
  create: ({ settings }) => ({
    send: async ({ title }) => void paged.push(`${pagerSettings.parse(settings).number}: ${title}`),
  }),
  check: async ({ settings }) => `${pagerSettings.parse(settings).number} beeps`,
  docs: "a number",
};

// … and one entry in its registry.
const registry = createRegistry({
  agents: [...AGENTS, parrot],
  forges: [...FORGES, teahouse],
  notifiers: [...NOTIFIERS, pager],
});

const REMOTE = "https://tea.localhost/team/shop.git";
const YAML = `agent: parrot
agents: { parrot: { phrase: good night, cage_env: CAGE } }
forge: { kind: teahouse, url: https://tea.localhost, pot_env: POT, webhook_secret_env: HOOK }
notify: { pager: { number: "112", key_env: PAGER_KEY } }
`;

let repo: TempRepo;
let home: string;
let env: Record<string, string>;
let wired: Wired;
let project: Project;
let settings: Settings;
const known = createKnownSecrets({
  CAGE: "cage-value",
  POT: "pot-value",
  TEAHOUSE_LOGIN: "login-value",
  PAGER_KEY: "pager-value",
});

beforeAll(async () => {
  repo = await createTempRepo({ "nightshift.yaml": YAML });
  await repo.git("remote", "set-url", "origin", REMOTE);
  home = join(repo.path, "home");
  const bin = join(repo.path, "bin");
  for (const folder of [home, bin]) await mkdir(folder);
  await writeFile(join(home, "config.yaml"), "sandbox: { mode: none }\n");
  await writeFile(join(bin, "parrot-cli"), "#!/bin/sh\necho parrot 1.9.0\n");
  await chmod(join(bin, "parrot-cli"), 0o755);
  env = {
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    HOME: repo.path,
    NIGHTSHIFT_HOME: home,
    TEAHOUSE_LOGIN: "login-value",
    HOOK: "hook-value",
  };
  wired = await wire({
    home,
    env,
    log: SILENT_LOG,
    secrets: known,
    pass: () => undefined,
    write: () => undefined,
    registry,
  });
  const shop = { name: "shop", path: repo.checkout, remote: REMOTE, defaultBranch: "main" };
  const { wanted } = await wired.projectFiles.pendingTrust(shop, "");
  project = await saveProject(wired.ports, { ...shop, accepted: wanted }, { kind: "person", name: "alice" });
  settings = await wired.projectFiles.settings(project);
});
afterAll(async () => {
  await wired.ports.store.close();
  await repo.remove();
});

describe("a new agent, forge and notifier that are only defined and registered", () => {
  it("can be configured", () => {
    expect(settings.agents["parrot"]).toEqual({
      kind: "parrot",
      model: null,
      options: { phrase: "good night", cage_env: "CAGE" },
    });
    expect(settings.forge).toMatchObject({ kind: "teahouse", tokenEnv: "TEAHOUSE_LOGIN", options: { pot_env: "POT" } });
    expect(settings.notify.channels).toEqual({ pager: { number: "112", key_env: "PAGER_KEY" } });
  });

  it("have all configuration errors reported at once, with line and column", () => {
    const wrong = `agents: { parrot: { phrase: 7 } }
forge: { kind: teahous }
notify: { pager: { nmber: "112", key_env: PAGER_KEY } }
`;
    expect(() => registry.format.parseProject(wrong, "n.yaml")).toThrow(
      /n\.yaml:1:29: agents\.parrot\.phrase: found `7`.*\n.*n\.yaml:2:16: forge\.kind: .*`gitlab`, `github`, `teahouse`, `none`\n(.*\n)*.*n\.yaml:3:20: notify\.pager\.nmber: unknown key `nmber`; did you mean `number`\?/,
    );
    const foreign = "agents: { codex: { phrase: hi } }\nforge: { kind: gitlab, pot_env: POT }\n";
    expect(() => registry.format.parseProject(foreign, "n.yaml")).toThrow(
      /agents\.codex\.phrase: is allowed only for the kind `parrot`, but this agent is `codex`\n.*forge\.pot_env: is allowed only for the kind `teahouse`, but this forge is `gitlab`/,
    );
  });

  it("are part of the JSON Schema for editors", () => {
    const { properties = {} } = toJsonSchema(registry.format.schemas.project);
    expect(properties["forge"]?.properties?.["kind"]?.enum).toContain("teahouse");
    expect(properties["notify"]?.properties?.["pager"]?.description).toBe("Messages to a pager.");
    expect(properties["agents"]?.additionalProperties).toMatchObject({ properties: { phrase: { type: "string" } } });
  });

  it("have a row in the tables of the docs", () => {
    expect(renderAgentTable(registry.agents)).toContain("| `parrot` | `parrot-cli` | – | file | tests |");
    expect(renderTokenTable(registry.forges)).toContain("| Teahouse | personal | a cup |");
    expect(renderChannelTable(registry.notifiers)).toContain("| `pager` | a number | settings |");
  });

  it("are detected, and `init` writes a valid file", async () => {
    const detected = await detectProject(repo.checkout, { env, registry });
    expect(detected.agents).toContain("parrot");
    expect(detected.forge).toEqual({
      kind: "teahouse",
      url: "https://tea.localhost",
      project: "team/shop",
      tokenEnv: "TEAHOUSE_LOGIN",
    });
    const { written } = registry.format.parseProject(renderInitConfig(detected), "n.yaml");
    expect(written.forge).toMatchObject({ kind: "teahouse", project: "team/shop" });
  });

  it("are checked by doctor", { timeout: 60_000 }, async () => {
    const findings = await checkMachine({ env, cwd: repo.checkout, registry });
    const found = new Map(findings.map(({ name, detail }) => [name, detail]));
    expect(found.get("agent parrot")).toBe("parrot-cli is version 1.9.0; 2.0.0 or newer is required. Buy a parrot.");
    expect(found.get("forge (shop)")).toBe("The kettle is cold.");
    expect(checkedForges).toContain("https://tea.localhost/api/v1 team/shop");
    expect(found.get("pager (shop)")).toBe("112 beeps");
  });

  it("have their secrets redacted", () => {
    const values = "cage-value pot-value login-value pager-value";
    expect(known.current().redact(values)).toBe(
      "[redacted: CAGE] [redacted: POT] [redacted: TEAHOUSE_LOGIN] [redacted: PAGER_KEY]",
    );
  });

  it("are created for the engine", async () => {
    const { ports } = wired;
    const agent = ports.agents.create(settings.agents["parrot"] ?? { kind: "none", model: null, options: {} });
    expect(agent.program?.name).toBe("parrot-cli");

    const forge = ports.forges.open(project, settings);
    expect(forge?.repository).toBe("tea.localhost/team/shop");
    expect(forge?.credentialsFor(REMOTE)).toEqual({ username: "guest", password: "login-value" });
    const credentials = forge?.issueCredentials();
    expect(credentials?.secrets).toEqual({ TEA_TOKEN: "login-value" });
    expect(credentials?.openCommand({ branch: "b", target: "main", title: "It's done" })).toBe(
      String.raw`tea open team/shop 'It'\''s done'`,
    );

    expect(ports.channels.namesFor("shop", "failed", {})).toContain("pager");
    const notifier = await ports.channels.openNotifier("shop", "pager");
    await notifier?.send({ ...sampleNotice({ title: "Done" }), id: 1, attempts: 0 }, new AbortController().signal);
    expect(paged).toEqual(["112: Done"]);
  });

  it("have their webhook calls verified", async () => {
    const polled: string[] = [];
    const verify = createHookVerifier(registry.forges, wired.ports, (name) => void polled.push(name));
    expect([await verify("shop", hookCall("wrong")), await verify("shop", hookCall("hook-value"))]).toEqual([
      "rejected",
      "accepted",
    ]);
    expect(polled).toEqual(["shop"]);
  });
});

it("two kinds cannot define the same settings key differently", () => {
  const other: AgentDefinition = { ...parrot, kind: "other", settings: z.object({ phrase: z.number() }) };
  expect(() => createRegistry({ agents: [parrot, other], forges: [], notifiers: [] })).toThrow(
    "The kind other defines the settings key phrase differently from another kind.",
  );
});
