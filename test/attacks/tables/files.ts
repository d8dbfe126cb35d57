import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { RESULT } from "../../../src/testing/syscalls/syscall-program.ts";
import type { Attack, Attempt, Fixture } from "../attack.ts";
import { Refused } from "../attack.ts";
import { DESCRIPTOR } from "../descriptor.ts";
import { callAll, refuseUnless } from "../attacker-tools.ts";

const AT_FDCWD = -100;
const SET_FLAGS = 0x4008_6602;
const IMMUTABLE = 0x10;

/** Writes a new file outside, with a unique name. */
function writeAttack(
  name: string,
  numbers: readonly number[],
  way: (fixture: Fixture, target: string) => string | void,
): Attempt {
  const file = `written-${numbers.join("-") || name.replaceAll(/\W+/g, "-")}`;
  return {
    kind: "attempt",
    name,
    numbers,
    control: "plain",
    attempt: (fixture) => way(fixture, join(fixture.outside, file)) ?? "written",
    harm: ({ outside }) => (existsSync(join(outside, file)) ? `${file} exists` : null),
  };
}

/** Reads one of the decoys that contain the secret. */
function readAttack(name: string, numbers: readonly number[], way: (fixture: Fixture) => string): Attempt {
  return {
    kind: "attempt",
    name,
    numbers,
    control: "plain",
    attempt: (fixture) => refuseUnless(way(fixture).includes(fixture.secret), "the secret"),
  };
}

/** Changes something read-only. */
function changeAttack(
  name: string,
  what: (fixture: Fixture) => string,
  way: (path: string, fixture: Fixture) => unknown,
): Attempt {
  return {
    kind: "attempt",
    name,
    control: "plain",
    attempt(fixture) {
      way(what(fixture), fixture);
      return "changed";
    },
  };
}

const protectedFile = ({ work }: Fixture) => join(work, "protected/rules");
const readOnlyFile = ({ readable }: Fixture) => join(readable, "file");

export const attacks: readonly Attack[] = [
  writeAttack("write outside the workspace with an absolute path", [1], (_, target) => writeFileSync(target, "x")),
  writeAttack("write outside the workspace with ../", [2], ({ work }, target) =>
    writeFileSync(relative(work, target), "x"),
  ),
  writeAttack("write outside the workspace through a symlink", [3], ({ outside, work }, target) => {
    symlinkSync(outside, join(work, "link"));
    writeFileSync(join(work, "link", relative(outside, target)), "x");
  }),
  {
    kind: "attempt",
    name: "write a file outside the workspace through a hard link",
    numbers: [4],
    control: "plain",
    attempt({ work, outside }) {
      linkSync(join(outside, "file"), join(work, "second"));
      appendFileSync(join(work, "second"), "linked\n");
      return "written";
    },
    harm: ({ outside }) => (readFileSync(join(outside, "file"), "utf8").includes("linked") ? "written" : null),
  },
  writeAttack("write outside the workspace through /proc/self/root", [5], (_, target) =>
    writeFileSync(`/proc/self/root${target}`, "x"),
  ),
  {
    ...writeAttack("write outside the workspace through /proc/1/root", [6], (_, target) =>
      writeFileSync(`/proc/1/root${target}`, "x"),
    ),
    control: "namespace",
  },
  writeAttack("write outside the workspace through the root of any process", [7], (_, target) => {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        writeFileSync(`/proc/${pid}/root${target}`, "x");
        return "written";
      } catch {
        // Try the next one.
      }
    }
    throw new Refused("no process has a root outside");
  }),
  writeAttack("write outside the workspace through the parent of the working directory", [], (fixture, target) =>
    writeFileSync(`/proc/self/cwd/../outside/${relative(fixture.outside, target)}`, "x"),
  ),
  {
    kind: "attempt",
    name: "write the user's .bashrc",
    numbers: [8],
    control: "plain",
    attempt({ userHome }) {
      appendFileSync(join(userHome, ".bashrc"), "evil\n");
      return "written";
    },
    harm: ({ userHome }) => (readFileSync(join(userHome, ".bashrc"), "utf8").includes("evil") ? "written" : null),
  },
  readAttack("read the user's SSH key", [16], ({ userHome }) => readFileSync(join(userHome, ".ssh/id_rsa"), "utf8")),
  readAttack("read Nightshift's database", [17], ({ nightshift }) =>
    readFileSync(join(nightshift, "nightshift.db"), "utf8"),
  ),
  readAttack("read Nightshift's configuration", [17], ({ nightshift }) =>
    readFileSync(join(nightshift, "config.yaml"), "utf8"),
  ),
  readAttack("read the stored keys of model providers and forges", [], ({ nightshift }) =>
    readFileSync(join(nightshift, "auth/keys.json"), "utf8"),
  ),
  readAttack("read the private home of another run", [], ({ nightshift }) =>
    readFileSync(join(nightshift, "homes/run_other/.claude/credentials.json"), "utf8"),
  ),
  readAttack("find a secret in the parent directories of the workspace", [], ({ root }) => search(root, 4)),
  readAttack("find a secret in the environment of any process", [18], () => {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.map((pid) => readOrEmpty(`/proc/${pid}/environ`)).join("\n");
  }),
  {
    ...readAttack("find a secret of the daemon in its own environment", [19], () =>
      Object.values(process.env).join("\n"),
    ),
    control: "child",
  },
  {
    ...readAttack("read a file through a descriptor that the daemon left open", [46], () =>
      readFileSync(`/proc/self/fd/${DESCRIPTOR}`, "utf8"),
    ),
    control: "child",
  },
  {
    kind: "attempt",
    name: "write the outcome file of another run",
    control: "plain",
    attempt({ nightshift }) {
      writeFileSync(join(nightshift, "outcomes/run_other/outcome.json"), '{"outcome":"evil"}');
      return "written";
    },
    harm: ({ nightshift }) =>
      readFileSync(join(nightshift, "outcomes/run_other/outcome.json"), "utf8").includes("evil") ? "written" : null,
  },
  {
    kind: "attempt",
    name: "change the workspace of another task",
    control: "plain",
    attempt({ nightshift }) {
      writeFileSync(join(nightshift, "workspaces/task_other/tree/file"), "evil");
      return "written";
    },
    harm: ({ nightshift }) =>
      readFileSync(join(nightshift, "workspaces/task_other/tree/file"), "utf8") === "evil" ? "written" : null,
  },
  {
    kind: "attempt",
    name: "write the exit record in the directory of its own job",
    control: "plain",
    attempt({ nightshift }) {
      const runs = join(nightshift, "runs");
      for (const run of readdirSync(runs)) writeFileSync(join(runs, run, "forged.json"), "{}");
      return "written";
    },
    harm: ({ nightshift }) => {
      const runs = join(nightshift, "runs");
      return readdirSync(runs).some((run) => existsSync(join(runs, run, "forged.json"))) ? "written" : null;
    },
  },
  changeAttack("write a read-only file", readOnlyFile, (path) => appendFileSync(path, "x")),
  changeAttack("change the mode of a read-only file", readOnlyFile, (path) => chmodSync(path, 0o777)),
  changeAttack(
    "create a file in a read-only directory",
    ({ readable }) => readable,
    (path) => writeFileSync(join(path, "new"), "x"),
  ),
  changeAttack("write a protected file in the workspace", protectedFile, (path) => appendFileSync(path, "x")),
  changeAttack("remove a protected file", protectedFile, (path, { work }) => {
    rmSync(path);
    writeFileSync(path, "keep\n");
    chmodSync(join(work, "protected"), 0o777);
  }),
  changeAttack(
    "rename the protected directory away",
    ({ work }) => join(work, "protected"),
    (path) => {
      renameSync(path, `${path}-away`);
      renameSync(`${path}-away`, path);
    },
  ),
  changeAttack(
    "replace the protected directory with its own",
    ({ work }) => join(work, "protected"),
    (path, { work }) => {
      mkdirSync(join(work, "mine"));
      renameSync(path, join(work, "kept"));
      renameSync(join(work, "mine"), path);
      renameSync(path, join(work, "mine"));
      renameSync(join(work, "kept"), path);
    },
  ),
  {
    kind: "attempt",
    name: "replace the workspace with a symlink",
    control: "plain",
    alone: true,
    attempt({ work, outside }) {
      renameSync(work, `${work}-away`);
      symlinkSync(outside, work);
      rmSync(work);
      renameSync(`${work}-away`, work);
      return "renamed";
    },
  },
  {
    kind: "attempt",
    name: "write into /usr or /etc of the machine",
    numbers: [43],
    control: { noneBecause: "it would change the machine; other rows do the same with decoys" },
    attempt({ id }) {
      const written = ["/usr", "/usr/bin", "/usr/local/bin", "/etc", "/lib", "/", "/opt", "/var", "/run"].filter(
        (dir) => {
          try {
            writeFileSync(join(dir, `nightshift-attack-${id}`), "");
            rmSync(join(dir, `nightshift-attack-${id}`));
            return true;
          } catch {
            return false;
          }
        },
      );
      return refuseUnless(written.length > 0, `could write ${written.join(", ")}`);
    },
  },
  ...["/tmp", "/dev/shm"].map((dir, index): Attempt => ({
    kind: "attempt",
    name: `leave a file in the machine's ${dir}`,
    numbers: [44 + index],
    control: "plain",
    attempt({ id }) {
      writeFileSync(join(dir, `nightshift-attack-${id}`), "x");
      return "written";
    },
    harm({ id }) {
      const file = join(dir, `nightshift-attack-${id}`);
      if (!existsSync(file)) return null;
      rmSync(file);
      return "the file exists outside";
    },
  })),
  {
    kind: "attempt",
    name: "list the directory that contains the fixture",
    control: "plain",
    attempt: ({ root }) =>
      refuseUnless(readdirSync(dirname(root)).includes("secret"), readdirSync(dirname(root)).join(", ")),
  },
  {
    kind: "attempt",
    name: "create a device node",
    numbers: [41],
    control: { on: "plain", only: "root", because: "only root can create one" },
    attempt({ work }) {
      const [S_IFCHR, NULL_DEVICE] = [0o020000, 0x103];
      return callAll({
        call: process.arch === "x64" ? 259 : 33,
        args: [AT_FDCWD, join(work, "device"), S_IFCHR | 0o666, NULL_DEVICE],
      });
    },
  },
  {
    kind: "attempt",
    name: "open the machine's disks",
    numbers: [41],
    control: { noneBecause: "opening a real disk is too dangerous" },
    attempt() {
      const disks = readdirSync("/dev").filter((name) =>
        /^(?:[svx]?vd[a-z]|sd[a-z]|nvme|mem|kmsg|kvm|port|loop|dm-|mapper|fuse)/.test(name),
      );
      return refuseUnless(disks.length > 0, disks.join(", "));
    },
  },
  {
    kind: "attempt",
    name: "gain privileges with a setuid program",
    numbers: [42],
    control: "plain",
    attempt: () =>
      refuseUnless(/^NoNewPrivs:\s+0$/m.test(readFileSync("/proc/self/status", "utf8")), "setuid programs work"),
  },
  {
    kind: "attempt",
    name: "give a file capabilities that outlive the run",
    control: "namespace",
    attempt({ work }) {
      writeFileSync(join(work, "capable"), "x");
      const [VERSION_2, CAP_SYS_ADMIN] = [0x0200_0000, 1 << 21];
      const value = Buffer.alloc(20);
      value.writeUInt32LE(VERSION_2, 0);
      value.writeUInt32LE(CAP_SYS_ADMIN, 4);
      return callAll({
        call: process.arch === "x64" ? 188 : 5,
        args: [join(work, "capable"), "security.capability", value, value.length, 0],
      });
    },
  },
  {
    kind: "attempt",
    name: "create an immutable file, which cannot be removed",
    control: { on: "plain", only: "root", because: "only root can set the flag" },
    attempt({ work }) {
      writeFileSync(join(work, "forever"), "x");
      const flag = (flags: number) =>
        callAll(
          { call: "openat", args: [AT_FDCWD, join(work, "forever"), 0] },
          { call: "ioctl", args: [RESULT, SET_FLAGS, { words: [flags] }] },
        );
      const done = flag(IMMUTABLE);
      flag(0);
      return done;
    },
  },
];

function search(dir: string, depth: number): string {
  let found = "";
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isFile() && !entry.name.startsWith("input-")) found += readOrEmpty(path);
    else if (entry.isDirectory() && depth > 0) found += search(path, depth - 1);
  }
  return found;
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
