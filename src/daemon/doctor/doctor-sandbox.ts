import { EXTERNAL_HINT } from "../../adapters/sandboxes/self-test/diagnose.ts";
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

/** Runs the sandbox self-test, or warns if the user turned the sandbox off. */
export async function checkSandbox(params: CheckSandboxParams): Promise<readonly Finding[]> {
  switch (params.mode) {
    case "enforce":
      return testSandbox(params);
    case "none":
      return [
        {
          name: "sandbox",
          ok: "warn",
          detail: "NONE: agents and checks run without a sandbox, with all your permissions",
          fix: `set sandbox.mode to enforce in ${homePaths(params.home).config}`,
        },
      ];
    case "external":
      return [
        {
          name: "sandbox",
          ok: "warn",
          detail: "EXTERNAL: Nightshift relies on the sandbox that you run it in and creates none itself",
          fix: `if there is none, set sandbox.mode to enforce in ${homePaths(params.home).config}`,
        },
      ];
  }
}

async function testSandbox({
  home,
  env,
  sandbox = sandboxes.enforce,
}: CheckSandboxParams): Promise<readonly Finding[]> {
  try {
    const name = process.platform === "linux" ? `bubblewrap ${(await findBubblewrap()).version}` : sandbox.name;
    const probes = await runSelfTest(sandbox, { home, userHome: personHome(env) });
    return [...describeProbes(name, probes), ...(await describeLimitations())];
  } catch (error) {
    return [explainFinding("sandbox", error)];
  }
}

function describeProbes(name: string, probes: readonly Probe[]): readonly Finding[] {
  const failed = probes.filter(({ ok }) => !ok);
  const passed = probes.filter(({ ok }) => ok).map((probe) => `${probe.name}: ${probe.detail}`);
  const summary = `${name} ${failed.length === 0 ? "works" : "does not work"}: ${passed.length} of ${probes.length} probes passed`;
  return [
    { ...fine("sandbox", [summary, ...passed].join("\n")), ok: failed.length === 0 ? "yes" : "no" },
    ...failed.map((probe): Finding => ({
      name: `sandbox: ${probe.name}`,
      ok: "no",
      detail: probe.detail,
      fix: `no run starts until this is fixed. ${EXTERNAL_HINT}`,
    })),
  ];
}

/** Lists the restrictions that Seatbelt on macOS cannot enforce. */
async function describeLimitations(): Promise<readonly Finding[]> {
  if (process.platform !== "darwin") return [];
  const { SEATBELT_LIMITATIONS } = await import("../../adapters/sandboxes/seatbelt/seatbelt.ts");
  return [{ name: "sandbox", ok: "warn", detail: SEATBELT_LIMITATIONS.join("\n"), fix: null }];
}
