import type { Sandbox } from "../../ports/sandbox.ts";

/** No sandbox: starts the command unchanged, with exactly the environment of the policy. */
export const none: Sandbox = {
  name: "none",
  open: (policy, argv) =>
    Promise.resolve({
      command: { argv, env: { ...policy.env }, cwd: policy.cwd, inputs: [], statusPipes: 0, isWall: false },
      problem: () => null,
      close: () => Promise.resolve(),
    }),
};

/** The user isolates Nightshift as a whole, in a container or a dedicated machine. */
export const external: Sandbox = { ...none, name: "external" };
