import { resolveSettings } from "../config/resolve/resolve-settings.ts";
import type { ProjectWritten } from "../config/schema/schema.ts";
import type { Settings } from "../core/settings/settings.ts";
import { REGISTRY } from "../daemon/wire/registry.ts";

const WRITTEN: ProjectWritten = {
  checks: { test: { command: "npm test" } },
  secrets: { SHOP_KEY: { roles: ["implement"] } },
  mcp: { notes: { command: ["notes", "--password=hunter2"], environment: { DEPTH: "hunter2" } } },
};

/** The settings of the project `shop` with values that must not be shown. */
export const SHOP_SETTINGS: Settings = resolveSettings({
  project: "shop",
  timeZone: "Europe/Paris",
  user: {},
  own: WRITTEN,
  instructions: "Say hunter2.",
  kinds: REGISTRY,
});
