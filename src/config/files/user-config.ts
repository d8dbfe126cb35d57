import { join } from "node:path";
import type { BudgetSettings, NotifySettings, SandboxMode } from "../../core/settings/settings.ts";
import { parseRetention } from "../../core/schedule/duration.ts";
import type { ConfigFormat, ParsedConfig } from "../parse/parse-config.ts";
import { MAX_CONFIG_BYTES, readText } from "./read-text.ts";
import { resolveSettings } from "../resolve/resolve-settings.ts";
import { resolvePaths } from "./resolve-paths.ts";
import type { UserWritten } from "../schema/schema.ts";

/** Settings of config.yaml that apply to the whole machine. */
export interface UserConfig {
  /** Over all projects. */
  readonly concurrentRuns: number;
  readonly sandboxMode: SandboxMode;
  /** Over all projects. */
  readonly budget: BudgetSettings;
  readonly timeZone: string;
  /** Null for the SQLite file. */
  readonly database: string | null;
  /** As written: config/prices.ts makes a table of them. */
  readonly prices: NonNullable<UserWritten["prices"]>;
  readonly notify: NotifySettings;
  /** `HH:MM`, when the report of the night is sent. */
  readonly reportAt: string;
  /** How long to keep the files of ended tasks. Null to keep them. */
  readonly retentionMs: number | null;
  readonly server: ServerConfig;
}

/** Where the daemon listens. */
export interface ServerConfig {
  readonly host: string;
  /** Null for the port of the last daemon. */
  readonly port: number | null;
  /** The https address of a proxy in front of the daemon, without a slash at the end. */
  readonly publicUrl: string | null;
}

/** Throws ConfigError with all problems. Callers keep their last valid configuration. */
export async function readUserConfig(home: string, format: ConfigFormat): Promise<UserConfig> {
  const { written } = await readUserFile(home, format);
  const settings = resolveSettings({
    project: "",
    timeZone: machineTimeZone(),
    user: written,
    own: {},
    instructions: "",
    kinds: format.kinds,
  });
  return {
    concurrentRuns: settings.limits.concurrentRuns,
    sandboxMode: settings.sandbox.mode,
    budget: settings.budget,
    timeZone: settings.timeZone,
    database: written.database ?? null,
    prices: written.prices ?? {},
    notify: settings.notify,
    reportAt: written.report?.at ?? "07:00",
    retentionMs: written.retention === undefined ? null : parseRetention(written.retention),
    server: {
      host: written.server?.host ?? "127.0.0.1",
      port: written.server?.port ?? null,
      publicUrl: written.server?.public_url === undefined ? null : new URL(written.server.public_url).origin,
    },
  };
}

/** Reads config.yaml with absolute paths. A missing file means no settings. */
export async function readUserFile(home: string, format: ConfigFormat): Promise<ParsedConfig<UserWritten>> {
  const file = join(home, "config.yaml");
  const parsed = format.parseUser((await readText(file, null, MAX_CONFIG_BYTES)) ?? "", file);
  return { ...parsed, written: resolvePaths(parsed.written, home, format.kinds.agents) };
}

/** Cached, because finding the time zone takes a millisecond and settings are read for every run. */
export function machineTimeZone(): string {
  timeZone ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return timeZone;
}

let timeZone: string | null = null;
