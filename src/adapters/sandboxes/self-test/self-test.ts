import { UserError } from "../../../core/text/errors.ts";
import type { Sandbox } from "../../../ports/sandbox.ts";
import { runConfined, type ConfinedResult } from "../run-confined.ts";
import { FILE_PROBES, PROC_PROBES, REACH_PROBES, type Probe, type ProbeRule } from "./self-test-probes.ts";
import { openScene, type Scene, type SceneParams } from "./self-test-scene.ts";

const TIMEOUT_MS = 20_000;
const GRACE_MS = 1_000;
/** Longer than the grace period. It also ends by itself if the sandbox does not end it. */
const SURVIVOR_SECONDS = 3;

/**
 * Runs all probes in a single start of the real sandbox. Throws a UserError of kind "unavailable" if the sandbox does not
 * start.
 */
export async function runSelfTest(sandbox: Sandbox, params: SceneParams): Promise<readonly Probe[]> {
  const scene = await openScene(params);
  try {
    const rules = rulesFor(process.platform);
    const result = await runInside(sandbox, scene, buildScript(rules, scene));
    const probes = rules.map((rule) => evaluateProbe(rule, result, scene));
    return [...probes, checkConnections(scene), ...(process.platform === "linux" ? [checkLeftovers(result)] : [])];
  } finally {
    await scene.remove();
  }
}

function rulesFor(platform: NodeJS.Platform): readonly ProbeRule[] {
  return platform === "linux" ? [...FILE_PROBES, ...PROC_PROBES, ...REACH_PROBES] : [...FILE_PROBES, ...NETCAT_PROBES];
}

/** For macOS, which includes netcat. */
const NETCAT_PROBES: readonly ProbeRule[] = [
  {
    name: "direct network",
    script: ({ tcpPort }) => `nc -z -w 2 127.0.0.1 ${tcpPort}; echo "exit $?"`,
    evaluate: (printed) => (/^exit 1$/m.test(printed) ? null : "a port of this machine was reached, or nc is missing"),
    successDetail: "none",
  },
];

/** Each probe prints below its own heading, including stderr. */
function buildScript(rules: readonly ProbeRule[], scene: Scene): string {
  const parts = rules.map((rule) => `echo; echo "${heading(rule.name, scene)}"\n{ ${rule.script(scene)}\n} 2>&1`);
  return [...parts, `sleep ${SURVIVOR_SECONDS} &`, "exit 0"].join("\n");
}

function heading(name: string, { id }: Scene): string {
  return `## ${id} ${name}`;
}

async function runInside(sandbox: Sandbox, scene: Scene, text: string): Promise<ConfinedResult> {
  const context = { ...scene.sandboxContext, onDenied: () => undefined };
  const confinement = await sandbox.open(scene.policy, ["/bin/sh", "-c", text], context);
  try {
    const result = await runConfined(confinement.command, { timeoutMs: TIMEOUT_MS, graceMs: GRACE_MS });
    const problem = confinement.problem(result.status, result.stderr);
    if (problem !== null) throw new UserError("unavailable", problem);
    return result;
  } finally {
    await confinement.close();
  }
}

function evaluateProbe(rule: ProbeRule, { stdout }: ConfinedResult, scene: Scene): Probe {
  const [, after = ""] = stdout.split(`${heading(rule.name, scene)}\n`);
  const [printed = ""] = after.split(`\n## ${scene.id} `);
  const problem = rule.evaluate(printed, scene);
  return { name: rule.name, ok: problem === null, detail: problem ?? rule.successDetail };
}

/** The listeners outside count connections, independently of what the probes report. */
function checkConnections({ connectionCount: visits }: Scene): Probe {
  const count = visits();
  return {
    name: "connections",
    ok: count === 0,
    detail: count === 0 ? "none left the sandbox" : `${count} left the sandbox`,
  };
}

function checkLeftovers({ hasLeftover }: ConfinedResult): Probe {
  return {
    name: "leftovers",
    ok: !hasLeftover,
    detail: hasLeftover ? "a process outlived its command" : "no process outlives its command",
  };
}
