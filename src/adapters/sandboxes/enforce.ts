import { UserError } from "../../core/errors.ts";
import type { Sandbox } from "../../ports/sandbox.ts";

/** Refuses every command until there is a wall: without one, nothing runs that did not choose to. */
export const enforce: Sandbox = {
  mode: "enforce",
  name: "none available",
  confine() {
    throw new UserError(
      "unavailable",
      "Commands must run in a sandbox (sandbox.mode is enforce), and the sandbox is not part of this version yet.",
      "To run without one, set `sandbox.mode: none` in your config.yaml, or `external` if Nightshift itself runs in a container.",
    );
  },
};
