import type { SandboxMode } from "../../core/settings/settings.ts";
import type { Sandbox } from "../../ports/sandbox.ts";
import { enforce } from "./enforce.ts";
import { external, none } from "./none.ts";

export const sandboxes = { enforce, external, none } satisfies Record<SandboxMode, Sandbox>;
