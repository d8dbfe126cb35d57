import type { Sandbox } from "../../ports/sandbox.ts";

/** No wall: the command starts as it is, with exactly the environment of the policy. */
export const none: Sandbox = {
  name: "none",
  open: (policy, argv) =>
    Promise.resolve({
      command: { argv, env: { ...policy.env }, cwd: policy.cwd, inputs: [], statusPipes: 0, isWall: false },
      problem: () => null,
      close: () => Promise.resolve(),
    }),
};

/** The wall is around Nightshift as a whole (a container, a machine of its own), put there by the user. */
export const external: Sandbox = { ...none, name: "external" };
