import { UserError } from "../../../core/text/errors.ts";
import type { Sandbox } from "../../../ports/sandbox.ts";
import { runConfined, type ConfinedResult } from "../run-confined.ts";
import { FILE_PROBES, PROC_PROBES, REACH_PROBES, type Probe, type ProbeRule } from "./self-test-probes.ts";
import { openScene, type Scene, type SceneParams } from "./self-test-scene.ts";

const TIMEOUT_MS = 20_000;
const GRACE_MS = 1_000;
/** Longer than the grace, and it ends by itself where no wall ends it. */
const SURVIVOR_SECONDS = 3;

/**
 * Reaches over the wall in every way it must hold, inside the real one, in one start of it. Throws a UserError of kind
 * "unavailable" when the wall does not even come up.
 */
export async function runSelfTest(sandbox: Sandbox, params: SceneParams): Promise<readonly Probe[]> {
  const scene = await openScene(params);
  try {
    const rules = rulesFor(process.platform);
    const result = await runInside(sandbox, scene, script(rules, scene));
    const probes = rules.map((rule) => judge(rule, result, scene));
    return [...probes, judgeVisits(scene), ...(process.platform === "linux" ? [judgeSurvivor(result)] : [])];
  } finally {
    await scene.remove();
  }
}

function rulesFor(platform: NodeJS.Platform): readonly ProbeRule[] {
  return platform === "linux" ? [...FILE_PROBES, ...PROC_PROBES, ...REACH_PROBES] : [...FILE_PROBES, ...NETCAT_PROBES];
}

/** For macOS, which has netcat. */
const NETCAT_PROBES: readonly ProbeRule[] = [
  {
    name: "direct network",
    script: ({ tcpPort }) => `nc -z -w 2 127.0.0.1 ${tcpPort}; echo "exit $?"`,
    judge: (printed) => (/^exit 1$/m.test(printed) ? null : "a port of this machine was reached, or nc is not there"),
    held: "none",
  },
];

/** Each probe prints under its own line. What it says on the way is of no use, but shows what went wrong. */
function script(rules: readonly ProbeRule[], scene: Scene): string {
  const parts = rules.map((rule) => `echo; echo "${heading(rule.name, scene)}"\n{ ${rule.script(scene)}\n} 2>&1`);
  return [...parts, `sleep ${SURVIVOR_SECONDS} &`, "exit 0"].join("\n");
}

function heading(name: string, { id }: Scene): string {
  return `## ${id} ${name}`;
}

async function runInside(sandbox: Sandbox, scene: Scene, text: string): Promise<ConfinedResult> {
  const place = { ...scene.place, onDenied: () => undefined };
  const confinement = await sandbox.open(scene.policy, ["/bin/sh", "-c", text], place);
  try {
    const result = await runConfined(confinement.command, { timeoutMs: TIMEOUT_MS, graceMs: GRACE_MS });
    const problem = confinement.problem(result.status, result.stderr);
    if (problem !== null) throw new UserError("unavailable", problem);
    return result;
  } finally {
    await confinement.close();
  }
}

function judge(rule: ProbeRule, { stdout }: ConfinedResult, scene: Scene): Probe {
  const [, after = ""] = stdout.split(`${heading(rule.name, scene)}\n`);
  const [printed = ""] = after.split(`\n## ${scene.id} `);
  const trouble = rule.judge(printed, scene);
  return { name: rule.name, ok: trouble === null, detail: trouble ?? rule.held };
}

/** The listeners know best: whatever a probe believes, nobody came. */
function judgeVisits({ visits }: Scene): Probe {
  const count = visits();
  return { name: "connections", ok: count === 0, detail: count === 0 ? "none came out" : `${count} came out` };
}

function judgeSurvivor({ hasLeftover }: ConfinedResult): Probe {
  return {
    name: "leftovers",
    ok: !hasLeftover,
    detail: hasLeftover ? "a process outlived its command" : "no process outlives its command",
  };
}
