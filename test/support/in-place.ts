import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { Task } from "../../src/core/task/task.ts";
import { saveProject } from "../../src/engine/commands/project-commands.ts";
import { ALICE, openNight, type Night } from "./night.ts";

let night: Night | null = null;
const removed: string[] = [];

/** For `afterEach`. */
export async function closeStaged(): Promise<void> {
  await night?.close();
  night = null;
  for (const path of removed.splice(0)) await rm(path, { recursive: true, force: true });
}

export function removeAfterTest(path: string): void {
  removed.push(path);
}

const PLAN = {
  outcome: "plan_complete",
  summary: "Write a report.",
  prompt: "Write a report.",
  system_prompt: "",
  tools: ["Write", "Bash"],
  directories: ["reports/new"],
  network: [],
  needs_git: false,
  estimate: { tokens: 1000, minutes: 1, usd: 0.1 },
  reasoning: "One file.",
};

export async function openStaged(plan: object, execute: string): Promise<Night> {
  const agent = `case $NIGHTSHIFT_ROLE in
plan*) cat > "$OUT" <<'END'
${JSON.stringify({ ...PLAN, ...plan })}
END
;;
execute) { ${execute}
} 2> "$TMPDIR/errors"
printf '{"outcome":"completed","summary":"done","result":"Done."}' > "$OUT" ;;
esac`;
  night = await openNight({ userSettings: "sandbox: { mode: enforce }\n", agent });
  execFileSync("chmod", ["-R", "o+rwX", night.repo.checkout]);
  return night;
}

/** A directory that every user may write: as root, the agent runs as another user. */
export async function makeDirectory(): Promise<string> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), "nightshift-plain-")));
  removed.push(dir);
  await chmod(dir, 0o777);
  return dir;
}

/** A directory without git, registered as a project. */
export async function addPlain({ wired, repo }: Night, name = "plain", parent?: string): Promise<string> {
  const dir = parent === undefined ? await makeDirectory() : join(parent, name);
  await mkdir(dir, { recursive: true });
  await chmod(dir, 0o777);
  const settings = await readFile(join(repo.checkout, "nightshift.yaml"), "utf8");
  await writeFile(join(dir, "nightshift.yaml"), settings.replace("project: shop", `project: ${name}`));
  const project = { name, path: dir, remote: "", defaultBranch: "" };
  const { wanted } = await wired.projectFiles.pendingTrust(project, "");
  await saveProject(wired.ports, { ...project, accepted: wanted }, ALICE);
  return dir;
}

export async function planned({ submit, settled }: Night, draft: object): Promise<Task> {
  return settled((await submit({ pipeline: "staged", ...draft })).id);
}

export async function approved(open: Night, draft: object): Promise<Task> {
  const waiting = await planned(open, draft);
  expect(waiting).toMatchObject({ state: "staged", waitingFor: { kind: "approval" }, plan: { problems: [] } });
  await open.commands.approve(waiting.id, waiting.planHash, ALICE);
  return open.settled(waiting.id);
}
