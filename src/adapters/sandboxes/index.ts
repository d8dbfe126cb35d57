import type { SandboxMode } from "../../core/settings/settings.ts";
import { UserError } from "../../core/text/errors.ts";
import type { Sandbox } from "../../ports/sandbox.ts";
import { EXTERNAL_HINT } from "./self-test/diagnose.ts";

/** No sandbox: starts the command unchanged, with exactly the environment of the policy. */
export const none: Sandbox = {
  name: "none",
  open: (policy, argv) =>
    Promise.resolve({
      command: { argv, env: { ...policy.env }, cwd: policy.cwd, inputs: [], statusPipes: 0, isIsolating: false },
      problem: () => null,
      close: () => Promise.resolve(),
    }),
};

/** The user isolates Nightshift as a whole, in a container or a dedicated machine. */
const external: Sandbox = { ...none, name: "external" };

/** The sandbox of this operating system. Each implementation is loaded on demand. */
export const enforce: Sandbox = {
  name: process.platform === "darwin" ? "seatbelt" : "bubblewrap",
  async open(policy, argv, context) {
    const sandbox = await loadSandbox(process.platform);
    return sandbox.open(policy, argv, context);
  },
};

async function loadSandbox(platform: NodeJS.Platform): Promise<Sandbox> {
  if (platform === "linux") return (await import("./bubblewrap/bubblewrap.ts")).bubblewrap;
  if (platform === "darwin") return (await import("./seatbelt/seatbelt.ts")).seatbelt;
  throw new UserError(
    "unavailable",
    `Commands must run in a sandbox (sandbox.mode is enforce), but this version has none for ${platform}.`,
    EXTERNAL_HINT,
  );
}

export const sandboxes = { enforce, external, none } satisfies Record<SandboxMode, Sandbox>;
