import { execFile, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { Results, User } from "./attack.ts";
import { removeTree } from "../../src/adapters/git/workspace/remove-tree.ts";
import { launchWithDescriptor } from "./descriptor.ts";
import { SECRET_NAME } from "./fixture.ts";
import type { Topic } from "./topics.ts";

const REPOSITORY = join(import.meta.dirname, "../..");
/** Relative to the checkout and to its copy. */
const PROGRAM = relative(REPOSITORY, fileURLToPath(new URL("./main.ts", import.meta.url)));
const isRoot = process.getuid?.() === 0;
/** A user id without an entry in the system, as is common in containers. */
const USER_ID = 12_345;

/** Root runs the attacks as both users; others only as themselves. */
export const USERS: readonly User[] = isRoot ? ["root", "user"] : ["user"];

/** What the functions that print an agent's text need. */
const PACKAGES = ["fast-string-width", "fast-string-truncated-width", "fast-wrap-ansi", "marked"];

/** A copy of the needed files that every user can read, wherever the checkout is. */
export interface Kit {
  readonly dir: string;
  readonly node: string;
  remove(): void;
}

export type TopicResults = Readonly<Record<string, Results>>;

export function openKit(): Kit {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-kit-")));
  for (const name of ["src", "test/attacks", "package.json", ...PACKAGES.map((each) => `node_modules/${each}`)]) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    cpSync(join(REPOSITORY, name), join(dir, name), { recursive: true });
  }
  spawnSync("chmod", ["-R", "a+rX", dir]);
  return { dir, node: findNode(dir), remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** Our own Node, or a copy if the other user cannot reach it. */
function findNode(dir: string): string {
  const own = realpathSync(process.execPath);
  const as = isRoot ? { uid: USER_ID, gid: USER_ID } : {};
  if (spawnSync(own, ["--version"], as).status === 0) return own;
  const copy = join(dir, "node");
  copyFileSync(own, copy);
  chmodSync(copy, 0o755);
  return copy;
}

/** Runs one table as this user, in a temporary directory. */
export async function runTopic(kit: Kit, topic: Topic, user: User): Promise<TopicResults> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "nightshift-user-")));
  const uid = isRoot && user === "user" ? USER_ID : undefined;
  const secret = randomBytes(16).toString("hex");
  const secretFile = join(home, "secret");
  writeFileSync(secretFile, secret);
  const cache = join(kit.dir, `cache-${user}`);
  mkdirSync(cache, { recursive: true });
  const launcher = join(kit.dir, `launch-${topic}-${user}`);
  const argv = [kit.node, join(kit.dir, PROGRAM), topic, kit.dir] as const;
  const env = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    TMPDIR: home,
    [SECRET_NAME]: secret,
    NODE_COMPILE_CACHE: cache,
  };
  writeFileSync(launcher, launchWithDescriptor(secretFile, { argv, env }), { mode: 0o755 });
  if (uid !== undefined) for (const path of [home, secretFile, cache]) chownSync(path, uid, uid);
  const as = uid === undefined ? {} : { uid, gid: uid };
  try {
    return await new Promise((done, fail) => {
      const options = { ...as, cwd: home, timeout: 120_000, killSignal: "SIGKILL", maxBuffer: 2 ** 26 } as const;
      execFile(launcher, options, (error, stdout, stderr) => {
        if (error !== null)
          fail(
            new Error(`The attacks on ${topic} as ${user} could not be run: ${error.message}\n${stderr}\n${stdout}`),
          );
        else done(JSON.parse(stdout) as TopicResults);
      });
    });
  } finally {
    // Attacks may have left anything there.
    await removeTree(home);
  }
}
