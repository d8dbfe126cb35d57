/** Variables that an agent inherits from the daemon's environment. All others are dropped. The sandbox sets SHELL. */
const INHERITED = ["PATH", "USER", "LANG", "LC_ALL", "TERM", "TZ"] as const;

export interface AgentEnvironmentParams {
  /** The environment of the daemon. */
  readonly host: Readonly<Record<string, string | undefined>>;
  /** Names of secrets that the settings grant to this role. */
  readonly granted: readonly string[];
  readonly run: {
    readonly task: string;
    readonly run: string;
    /** The agent's role, or the kind of step for setup and checks, which get the same environment. */
    readonly role: string;
    readonly attempt: number;
    readonly outcomeFile: string;
    readonly home: string;
    readonly tmp: string;
    /** Ports that no other workspace uses. Null if none are reserved. */
    readonly ports: { readonly first: number; readonly count: number } | null;
  };
  /** Variables of the adapter, the proxy and the gateway. */
  readonly extra: Readonly<Record<string, string>>;
}

export interface AgentEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** Separate, because they are sent through a pipe and never written to disk. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Granted secrets that are not set on this machine. */
  readonly missing: readonly string[];
}

/** The only place that builds an agent's environment. */
export function agentEnvironment({ host, granted, run, extra }: AgentEnvironmentParams): AgentEnvironment {
  const inherited = INHERITED.map((name) => [name, host[name]] as const).filter(isSet);
  const own = {
    HOME: run.home,
    TMPDIR: run.tmp,
    NIGHTSHIFT_TASK: run.task,
    NIGHTSHIFT_RUN: run.run,
    NIGHTSHIFT_ROLE: run.role,
    NIGHTSHIFT_ATTEMPT: String(run.attempt),
    NIGHTSHIFT_OUTCOME_FILE: run.outcomeFile,
    ...(run.ports !== null && {
      NIGHTSHIFT_PORT_BASE: String(run.ports.first),
      NIGHTSHIFT_PORTS: String(run.ports.count),
    }),
  };
  const env = { ...Object.fromEntries(inherited), ...extra, ...own };
  // A secret must not replace a variable that identifies the agent or its directories.
  const names = granted.filter((name) => !Object.hasOwn(env, name) && !name.startsWith("NIGHTSHIFT_"));
  const secrets = names.map((name) => [name, host[name]] as const);
  return {
    env,
    secrets: Object.fromEntries(secrets.filter(isSet)),
    missing: secrets.filter((entry) => !isSet(entry)).map(([name]) => name),
  };
}

function isSet(entry: readonly [string, string | undefined]): entry is readonly [string, string] {
  return entry[1] !== undefined && entry[1] !== "";
}
