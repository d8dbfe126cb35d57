import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createTempRepo } from "../../../src/testing/temp-repo.ts";
import type { Night } from "../../support/night.ts";
import { HAS_GH, openStagedNight, readResult, runStaged, type StagedOptions } from "../../support/staged-night.ts";

let night: Night | null = null;

afterEach(async () => {
  vi.unstubAllEnvs();
  await night?.close();
  night = null;
});

/** Runs the script as the executor of an approved plan, and returns what it wrote to its report. */
async function reportOf(options: StagedOptions): Promise<string> {
  night = await openStagedNight(options);
  const task = await runStaged(night);
  expect(task).toMatchObject({ status: "succeeded", reason: "done" });
  return readResult(night, task, "reports/out.txt");
}

/** The search below is written in a way that does not find itself. */
const PLANTED = "planted-secret";

/** Puts a recognizable value wherever people keep the credentials of git and forges. */
async function plantCredentials() {
  const repo = await createTempRepo({ "greeting.txt": "hello\n" });
  const home = join(repo.path, "person");
  const files = {
    ".gitconfig": `[credential]\n\thelper = "!f() { echo password=${PLANTED}; }; f"\n`,
    ".git-credentials": `https://ann:${PLANTED}@github.com\n`,
    ".config/gh/hosts.yml": `github.com:\n  oauth_token: ${PLANTED}\n`,
    ".config/glab-cli/config.yml": `hosts:\n  gitlab.com:\n    token: ${PLANTED}\n`,
    ".ssh/id_ed25519": PLANTED,
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), text);
  }
  const tokens = Object.fromEntries(["GH_TOKEN", "GITHUB_TOKEN", "GITLAB_TOKEN"].map((name) => [name, PLANTED]));
  return { repo, env: { ...process.env, ...tokens, HOME: home, SSH_AUTH_SOCK: `/tmp/${PLANTED}` } };
}

const COMMIT = `echo "# Parsers" > reports/parsers.md
{ git add reports/parsers.md && git commit -qm "Add a report" && git log -1 --format='%an <%ae>: %s'; } > "$REPORT" 2>&1
echo "status $?" >> "$REPORT"`;

describe("a staged task whose plan needs git", { timeout: 60_000 }, () => {
  it("can commit in its workspace as the person", async () => {
    const repo = await createTempRepo({ "greeting.txt": "hello\n" });
    const config = join(repo.path, "gitconfig");
    await writeFile(config, "[user]\n\tname = Ann Doe\n\temail = ann@example.com\n");
    vi.stubEnv("GIT_CONFIG_GLOBAL", config);
    const report = await reportOf({ repo, execute: COMMIT });
    expect(report).toBe("Ann Doe <ann@example.com>: Add a report\nstatus 0\n");
  });

  it("finds no credentials of the person: not in its environment, its files or the processes", async () => {
    const { repo, env } = await plantCredentials();
    const execute = `{ env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'
git config --list --show-origin; git credential fill <<'END'
protocol=https
host=github.com

END
cat ${join(repo.path, "person")}/.ssh/id_ed25519; ls -a ~ ${repo.path}
grep -rs "planted-[s]ecret" /etc /home /root /run /tmp /var ~ ${repo.path} --exclude=out.txt
} > "$REPORT" 2>&1; true`;
    const report = await reportOf({ repo, env, execute });
    expect(report).not.toContain(PLANTED);
    expect(report).toContain("NIGHTSHIFT_ROLE=execute");
    expect(report).not.toContain("SSH_AUTH_SOCK");
  });

  it.skipIf(!HAS_GH)("has git and the forge's CLI although the plan lists other commands", async () => {
    const report = await reportOf({
      plan: { commands: ["node"] },
      execute: `{ git --version; gh --version; curl --version; } > "$REPORT" 2>&1; true`,
    });
    expect(report).toMatch(/^git version .*\ngh version /);
    expect(report).toMatch(/"curl" is not available here/);
  });

  it("plants hooks and filters that run inside, but never outside", async () => {
    const repo = await createTempRepo({ "greeting.txt": "hello\n" });
    const marker = join(repo.path, "ran-outside");
    const planted = `sh -c 'echo ran >> ${marker}; echo inside >> /tmp/planted; cat'`;
    night = await openStagedNight({
      repo,
      plan: { directories: ["."] },
      execute: `mkdir -p reports
for hook in pre-commit post-commit post-checkout post-index-change reference-transaction pre-auto-gc; do
  printf '#!/bin/sh\n%s < /dev/null\n' "${planted}" > .git/hooks/$hook; chmod +x .git/hooks/$hook
done
git config core.fsmonitor "${planted} < /dev/null"; git config core.sshCommand "${planted}"; git config core.pager "${planted}"
git config filter.evil.clean "${planted}"; git config filter.evil.smudge "${planted}"; git config diff.evil.textconv "${planted}"
echo '* filter=evil diff=evil' > .gitattributes; printf '[core]\n\tfsmonitor = ${marker}\n' > .gitmodules
echo "# Parsers" > reports/parsers.md; git add -A; git commit -qm "Add a report"; cat /tmp/planted > "$REPORT"; true`,
    });
    const task = await runStaged(night);
    expect(task).toMatchObject({ status: "succeeded", reason: "done" });
    expect(await readResult(night, task, "reports/out.txt")).toContain("inside");
    expect(existsSync(marker)).toBe(false);
  });

  it("has the devices that its programs need", async () => {
    const report = await reportOf({
      execute: `echo gone > /dev/null && test -c /dev/tty && echo devices > "$REPORT"
script -qec 'echo "a terminal" > /dev/tty' /dev/null < /dev/null >> "$REPORT"`,
    });
    expect(report.replaceAll("\r", "")).toBe("devices\na terminal\n");
  });
});

describe("a staged task whose plan does not need git", { timeout: 60_000 }, () => {
  it.each([["."], ["reports"]])("cannot commit, even if it may write to %s", async (directory) => {
    const plan = { needs_git: false, directories: [directory] };
    const execute = `mkdir -p reports\n${COMMIT}
git push . HEAD:refs/heads/other >> "$REPORT" 2>&1; echo "status $?" >> "$REPORT"
echo x > .git/config; echo x > .git/hooks/pre-commit; true`;
    const report = await reportOf({ plan, execute });
    expect(report).toMatch(/Read-only file system[^]*status (?!0)\d+\n[^]*status (?!0)\d+\n$/);
  });

  it("has no git program if the plan lists its commands", async () => {
    const plan = { needs_git: false, commands: ["node"] };
    const report = await reportOf({ plan, execute: `git --version > "$REPORT" 2>&1; true` });
    expect(report).toMatch(/"git" is not available here/);
  });
});
