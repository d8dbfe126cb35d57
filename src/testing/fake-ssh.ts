import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** OpenSSH's exact error messages by host. */
const TROUBLE: Readonly<Record<string, readonly string[]>> = {
  "unknown-host": [
    "No ED25519 host key is known for unknown-host and you have requested strict checking.",
    "Host key verification failed.",
  ],
  "changed-host": [
    "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @",
    "IT IS POSSIBLE THAT SOMEONE IS DOING SOMETHING NASTY!",
    "Host key verification failed.",
  ],
  "refused-host": ["git@refused-host: Permission denied (publickey)."],
  "missing-host": ["ssh: Could not resolve hostname missing-host: Name or service not known"],
  "closed-host": ["kex_exchange_identification: Connection closed by remote host"],
};

/**
 * Installs a fake `ssh` in this folder that runs the remote command locally, so that git uses its real ssh protocol without a
 * server or key. Each call appends a line to the file `calls`.
 */
export async function fakeSsh(folder: string, calls: string): Promise<void> {
  const troubles = Object.entries(TROUBLE).map(
    ([host, lines]) => `  *@${host}) ${lines.map((line) => `echo "${line}" >&2; `).join("")}exit 255;;`,
  );
  const script = `#!/bin/sh
echo "sock=$SSH_AUTH_SOCK askpass=$SSH_ASKPASS/$SSH_ASKPASS_REQUIRE $*" >> "${calls}"
while :; do case $1 in -[opi]) shift 2;; -*) shift;; *) break;; esac; done
case $1 in
${troubles.join("\n")}
esac
shift
exec sh -c "$*"
`;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "ssh"), script);
  await chmod(join(folder, "ssh"), 0o755);
}
