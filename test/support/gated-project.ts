import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openLoopbackForge, type LoopbackForge } from "../../src/testing/forges/loopback-forge.ts";
import { createUser, type User } from "./cli-user.ts";
import { createKilledDaemon, gated, type KilledDaemon } from "./killed-daemon.ts";

const TOKEN = "glpat-Zx81-planted-token-of-the-test";

/** A project with a forge, whose agent waits in each role until it is released. */
export interface GatedProject {
  readonly user: User;
  readonly forge: LoopbackForge;
  readonly daemon: KilledDaemon;
  close(): Promise<void>;
}

export interface GatedProjectParams {
  /** The cases of a shell `case "$NIGHTSHIFT_ROLE" in`, which may use `report '{…}'`. */
  readonly roles: string;
  /** The value of `checks` in the configuration. */
  readonly checks: (dir: string) => string;
}

export async function createGatedProject({ roles, checks }: GatedProjectParams): Promise<GatedProject> {
  const user = await createUser();
  const forge = await openLoopbackForge({ kind: "gitlab", token: TOKEN, files: { "notes.txt": "notes\n" } });
  const { repo } = user;
  await repo.git("remote", "set-url", "origin", forge.bareDir);
  await repo.git("fetch", "--quiet", "origin");
  await repo.git("reset", "--quiet", "--hard", "origin/main");
  const agent = join(repo.path, "gated.sh");
  await writeFile(agent, agentProgram(repo.path, roles), { mode: 0o755 });
  await writeFile(
    join(repo.checkout, "nightshift.yaml"),
    `project: shop
agent: mine
agents:
  mine: { kind: command, command: ["${agent}"] }
checks: ${checks(repo.path)}
forge: { kind: gitlab, url: "${forge.url}", project: ${forge.project}, token_env: FORGE_TOKEN }
`,
  );
  const daemon = createKilledDaemon(user, { FORGE_TOKEN: TOKEN });
  await daemon.call(["init", "--yes", "--no-run"]);
  const close = (): Promise<void> => user.cleanUp().finally(() => void forge.close());
  return { user, forge, daemon, close };
}

const agentProgram = (dir: string, roles: string): string => `#!/bin/sh
cat > /dev/null
${gated(dir, "$NIGHTSHIFT_ROLE")}
report() { printf '%s' "$1" > "$NIGHTSHIFT_OUTCOME_FILE"; }
case $NIGHTSHIFT_ROLE in
${roles}
esac
`;
