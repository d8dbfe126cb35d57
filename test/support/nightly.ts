import { openLoopbackForge, type LoopbackForge, type LoopbackParams } from "../../src/testing/forges/loopback-forge.ts";
import type { Files } from "../../src/testing/temp-repo.ts";
import { openNight, type Night, type NightOptions } from "./night.ts";

export const TOKEN = "glpat-Zx81-planted-token-of-the-test";

/** Shell functions that report outcomes: `found`, `nothing`, `implemented`, `verified`, `failed` and `described`. */
export const REPORT_FUNCTIONS = `
report() { printf '%s' "$1" > "$OUT"; }
found() { report '{"outcome":"improvement_found","category":"'"\${CATEGORY:-docs}"'","candidates":[{"rank":1,"title":"'"$1"'","files":["'"$2"'"],"description":"d","rationale":"r"},{"rank":2,"title":"Another idea","files":["other.txt"],"description":"d","rationale":"less"}],"selected":1}'; }
nothing() { report '{"outcome":"no_improvement","reason":"'"$1"'","files_scanned":7}'; }
implemented() { report '{"outcome":"implemented","summary":"'"$1"'"}'; }
verified() { report '{"outcome":"verified","summary":"it does what was selected"}'; }
failed() { report '{"outcome":"verify_failed","summary":"no","error_details":"'"$1"'"}'; }
described() { report '{"outcome":"described","title":"'"$1"'","summary":"It says more.","reasoning":"Readers asked.","changes":"- one line","commit_message":"docs: say more\\n\\nBecause."}'; }
# The prompt contains the category.
PROMPT=$(cat)
case "$PROMPT" in *"the category **"*) CATEGORY=$(printf '%s' "$PROMPT" | sed -n 's/.*the category \\*\\*\\([a-z]*\\).*/\\1/p' | head -n 1);; esac
ROLE=$NIGHTSHIFT_ROLE
`;

/** Finds a line to add to notes.txt, adds it, and verifies it. */
export const SUCCESSFUL_AGENT = `
case $ROLE in
  analyze) found "Say more" notes.txt;;
  implement) echo more >> notes.txt; implemented "said more";;
  verify) verified;;
  describe) described "Say more in the notes";;
esac`;

export interface Nightly extends Night {
  readonly forge: LoopbackForge;
}

export interface NightlyOptions extends Omit<NightOptions, "repo" | "remote" | "env"> {
  readonly kind?: "github" | "gitlab";
  readonly files?: Files;
  readonly env?: Readonly<Record<string, string>>;
  /** Use git over http with the token instead of a path. */
  readonly overHttp?: boolean;
  /** Scopes of the token. */
  readonly scopes?: LoopbackParams["scopes"];
  /** If false, the settings name no forge, although there is one. */
  readonly hasForge?: boolean;
  /** Added to the forge's section. */
  readonly forgeSettings?: string;
  readonly improve?: string;
  readonly avoidRecentCommits?: number;
  /** No category is scheduled for Sundays. */
  readonly withoutSundays?: boolean;
}

/** Opens a night with a forge. The project's remote is a repository of that forge. */
export async function openNightly(options: NightlyOptions = {}): Promise<Nightly> {
  const { kind = "gitlab", agent = SUCCESSFUL_AGENT, settings = "" } = options;
  const forge = await openLoopbackForge({
    kind,
    token: TOKEN,
    ...(options.scopes === undefined ? {} : { scopes: options.scopes }),
    files: { "notes.txt": "notes\n", "other.txt": "other\n", ".gitignore": "build\n", ...options.files },
  });
  // The first commit is old enough that its files do not count as recently changed.
  for (const name of ["one", "two", "three"]) await forge.repo.commit({ [`recent-${name}.txt`]: name }, name);
  const night = await openNight({
    ...options,
    agent: `${REPORT_FUNCTIONS}${agent}`,
    repo: forge.repo,
    remote: options.overHttp === true ? forge.remoteUrl : forge.bareDir,
    env: { ...process.env, FORGE_TOKEN: TOKEN, ...options.env },
    settings: `time_zone: UTC
${options.hasForge === false ? "" : forgeSection(forge, options.forgeSettings)}improve:
  avoid_recent_commits: ${options.avoidRecentCommits ?? 3}
  categories: { monday: [docs], tuesday: [docs], wednesday: [docs], thursday: [docs], friday: [docs], saturday: [docs]${options.withoutSundays === true ? "" : ", sunday: [docs]"} }
${options.improve ?? ""}${settings}`,
  });
  return {
    ...night,
    get wired() {
      return night.wired;
    },
    get commands() {
      return night.commands;
    },
    forge,
    async close() {
      await night.close();
      await forge.close();
    },
  };
}

export const NIGHTLY_DRAFT = {
  pipeline: "improve",
  description: "Find, make and verify one small improvement.",
} as const;

function forgeSection({ kind, url, project }: LoopbackForge, added = ""): string {
  return `forge: { kind: ${kind}, url: "${url}", project: ${project}, token_env: FORGE_TOKEN, reviewer: alice${added} }\n`;
}
