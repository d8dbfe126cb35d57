import { UserError } from "../../core/text/errors.ts";
import type { Sandbox } from "../../ports/sandbox.ts";
import { WAYS_OUT } from "./self-test/diagnose.ts";

/** The wall that this system has. Each is loaded only where it is needed. */
export const enforce: Sandbox = {
  name: process.platform === "darwin" ? "seatbelt" : "bubblewrap",
  async open(policy, argv, place) {
    const wall = await loadWall(process.platform);
    return wall.open(policy, argv, place);
  },
};

async function loadWall(platform: NodeJS.Platform): Promise<Sandbox> {
  if (platform === "linux") return (await import("./bubblewrap/bubblewrap.ts")).bubblewrap;
  if (platform === "darwin") return (await import("./seatbelt/seatbelt.ts")).seatbelt;
  throw new UserError(
    "unavailable",
    `Commands must run in a sandbox (sandbox.mode is enforce), and there is none for ${platform} in this version.`,
    WAYS_OUT,
  );
}
