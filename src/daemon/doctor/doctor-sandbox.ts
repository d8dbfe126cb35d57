import { OPT_OUT_HINT } from "../../adapters/sandboxes/self-test/diagnose.ts";
import { findBubblewrap } from "../../adapters/sandboxes/bubblewrap/find-bubblewrap.ts";
import { sandboxes } from "../../adapters/sandboxes/index.ts";
import type { Probe } from "../../adapters/sandboxes/self-test/self-test-probes.ts";
import { runSelfTest } from "../../adapters/sandboxes/self-test/self-test.ts";
import { homePaths, personHome } from "../../config/files/paths.ts";
import type { SandboxMode } from "../../core/settings/settings.ts";
import type { Sandbox } from "../../ports/sandbox.ts";
import { explainFinding, fine, type Finding } from "./doctor-finding.ts";

export interface CheckSandboxParams {
  readonly mode: SandboxMode;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sandbox?: Sandbox;
}

/** Puts up the wall and reaches over it; where the user wants none, says so loudly. */
export async function checkSandbox(params: CheckSandboxParams): Promise<readonly Finding[]> {
  switch (params.mode) {
    case "enforce":
      return tryWall(params);
    case "none":
      return [
        {
          name: "sandbox",
          ok: "warn",
          detail: "NONE: agents and checks run unconfined, with all your rights",
          fix: `sandbox.mode in ${homePaths(params.home).config} says so`,
        },
      ];
    case "external":
      return [
        {
          name: "sandbox",
          ok: "warn",
          detail: "EXTERNAL: you say that a wall stands around Nightshift itself; it makes none",
          fix: `sandbox.mode in ${homePaths(params.home).config} says so`,
        },
      ];
  }
}

async function tryWall({ home, env, sandbox = sandboxes.enforce }: CheckSandboxParams): Promise<readonly Finding[]> {
  try {
    const name = process.platform === "linux" ? `bubblewrap ${(await findBubblewrap()).version}` : sandbox.name;
    const probes = await runSelfTest(sandbox, { home, userHome: personHome(env) });
    return [...describeProbes(name, probes), ...(await describeWeakness())];
  } catch (error) {
    return [explainFinding("sandbox", error)];
  }
}

function describeProbes(name: string, probes: readonly Probe[]): readonly Finding[] {
  const open = probes.filter(({ ok }) => !ok);
  const held = probes.filter(({ ok }) => ok).map((probe) => `${probe.name}: ${probe.detail}`);
  const sum = `${name} ${open.length === 0 ? "holds" : "does not hold"}: ${held.length} of ${probes.length} probes passed`;
  return [
    { ...fine("sandbox", [sum, ...held].join("\n")), ok: open.length === 0 ? "yes" : "no" },
    ...open.map((probe): Finding => ({
      name: `sandbox: ${probe.name}`,
      ok: "no",
      detail: probe.detail,
      fix: `no run is safe while this is so. ${OPT_OUT_HINT}`,
    })),
  ];
}

/** What does not hold on macOS by its nature, before anybody relies on it. */
async function describeWeakness(): Promise<readonly Finding[]> {
  if (process.platform !== "darwin") return [];
  const { SEATBELT_LIMITATIONS } = await import("../../adapters/sandboxes/seatbelt/seatbelt.ts");
  return [{ name: "sandbox", ok: "warn", detail: SEATBELT_LIMITATIONS.join("\n"), fix: null }];
}
