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
import type { Attack, Attempt, Scene } from "../attack.ts";
import { Refused } from "../attack.ts";
import { DESCRIPTOR } from "../descriptor.ts";
import { make, need } from "../inside.ts";

const AT_FDCWD = -100;
const SET_FLAGS = 0x4008_6602;
const IMMUTABLE = 0x10;

/** Writes a new file outside, with a unique name. */
function writes(
  name: string,
  numbers: readonly number[],
  way: (scene: Scene, target: string) => string | void,
): Attempt {
  const file = `written-${numbers.join("-") || name.replaceAll(/\W+/g, "-")}`;
  return {
    kind: "attempt",
    name,
    numbers,
    control: "plain",
    attempt: (scene) => way(scene, join(scene.outside, file)) ?? "written",
    harm: ({ outside }) => (existsSync(join(outside, file)) ? `${file} is there` : null),
  };
}

/** Reads one of the decoys that contain the secret. */
function reads(name: string, numbers: readonly number[], way: (scene: Scene) => string): Attempt {
  return {
    kind: "attempt",
    name,
    numbers,
    control: "plain",
    attempt: (scene) => need(way(scene).includes(scene.secret), "the secret"),
  };
}

/** Changes something that is read-only. */
function changes(name: string, what: (scene: Scene) => string, way: (path: string, scene: Scene) => unknown): Attempt {
  return {
    kind: "attempt",
    name,
    control: "plain",
    attempt(scene) {
      way(what(scene), scene);
      return "changed";
    },
  };
}

const rules = ({ work }: Scene) => join(work, "protected/rules");
const granted = ({ readable }: Scene) => join(readable, "file");

export const attacks: readonly Attack[] = [
  writes("write outside by an absolute path", [1], (_, target) => writeFileSync(target, "x")),
  writes("write outside by ../", [2], ({ work }, target) => writeFileSync(relative(work, target), "x")),
  writes("write outside through a link in the workspace", [3], ({ outside, work }, target) => {
    symlinkSync(outside, join(work, "link"));
    writeFileSync(join(work, "link", relative(outside, target)), "x");
  }),
  {
    kind: "attempt",
    name: "a second name (hard link) for a file outside, to write it by",
    numbers: [4],
    control: "plain",
    attempt({ work, outside }) {
      linkSync(join(outside, "file"), join(work, "second"));
      appendFileSync(join(work, "second"), "linked\n");
      return "written";
    },
    harm: ({ outside }) => (readFileSync(join(outside, "file"), "utf8").includes("linked") ? "written" : null),
  },
  writes("write by /proc/self/root", [5], (_, target) => writeFileSync(`/proc/self/root${target}`, "x")),
  {
    ...writes("write by /proc/1/root", [6], (_, target) => writeFileSync(`/proc/1/root${target}`, "x")),
    control: "namespace",
  },
  writes("write by the root of any process", [7], (_, target) => {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        writeFileSync(`/proc/${pid}/root${target}`, "x");
        return "written";
      } catch {
        // Try the next one.
      }
    }
    throw new Refused("none leads out");
  }),
  writes("write by the parent of an open directory", [], (scene, target) =>
    writeFileSync(`/proc/self/cwd/../outside/${relative(scene.outside, target)}`, "x"),
  ),
  {
    kind: "attempt",
    name: "write the person's .bashrc",
    numbers: [8],
    control: "plain",
    attempt({ person }) {
      appendFileSync(join(person, ".bashrc"), "evil\n");
      return "written";
    },
    harm: ({ person }) => (readFileSync(join(person, ".bashrc"), "utf8").includes("evil") ? "written" : null),
  },
  reads("read the person's ssh key", [16], ({ person }) => readFileSync(join(person, ".ssh/id_rsa"), "utf8")),
  reads("read Nightshift's database", [17], ({ nightshift }) =>
    readFileSync(join(nightshift, "nightshift.db"), "utf8"),
  ),
  reads("read Nightshift's configuration", [17], ({ nightshift }) =>
    readFileSync(join(nightshift, "config.yaml"), "utf8"),
  ),
  reads("read the private home of another run", [], ({ nightshift }) =>
    readFileSync(join(nightshift, "homes/run_other/.claude/credentials.json"), "utf8"),
  ),
  reads("find the secret anywhere in the parents of the workspace", [], ({ root }) => search(root, 4)),
  reads("find the secret in the environment of any process", [18], () => {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return pids.map((pid) => readQuietly(`/proc/${pid}/environ`)).join("\n");
  }),
  {
    ...reads("find the secret in its own environment", [19], () => Object.values(process.env).join("\n")),
    control: "child",
  },
  {
    ...reads("read a file that the daemon had open and did not close", [46], () =>
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
    name: "write into its own job's directory: the record of how it ended",
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
  changes("write a file that is granted to be read", granted, (path) => appendFileSync(path, "x")),
  changes("change the rights of a file that is granted to be read", granted, (path) => chmodSync(path, 0o777)),
  changes(
    "create a file where only reading is granted",
    ({ readable }) => readable,
    (path) => writeFileSync(join(path, "new"), "x"),
  ),
  changes("write a protected file in the workspace", rules, (path) => appendFileSync(path, "x")),
  changes("unlink a protected file", rules, (path, { work }) => {
    rmSync(path);
    writeFileSync(path, "keep\n");
    chmodSync(join(work, "protected"), 0o777);
  }),
  changes(
    "rename the protected directory away",
    ({ work }) => join(work, "protected"),
    (path) => {
      renameSync(path, `${path}-away`);
      renameSync(`${path}-away`, path);
    },
  ),
  changes(
    "put a directory of its own over the protected one",
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
    name: "put something else where the workspace stands",
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
    name: "write into the machine's /usr and /etc",
    numbers: [43],
    control: { none: "it would change the machine; the same on a decoy is among the rows above" },
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
      return need(written.length > 0, `could write ${written.join(", ")}`);
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
      return "it came out";
    },
  })),
  {
    kind: "attempt",
    name: "see what else stands where its own directories are",
    control: "plain",
    attempt: ({ root }) => need(readdirSync(dirname(root)).includes("secret"), readdirSync(dirname(root)).join(", ")),
  },
  {
    kind: "attempt",
    name: "make a device node",
    numbers: [41],
    control: { on: "plain", only: "root", because: "no person may make one anywhere" },
    attempt({ work }) {
      const [S_IFCHR, NULL_DEVICE] = [0o020000, 0x103];
      return make({
        call: process.arch === "x64" ? 259 : 33,
        args: [AT_FDCWD, join(work, "device"), S_IFCHR | 0o666, NULL_DEVICE],
      });
    },
  },
  {
    kind: "attempt",
    name: "open the machine's disks",
    numbers: [41],
    control: { none: "an open disk is one mistake away from harm" },
    attempt() {
      const disks = readdirSync("/dev").filter((name) =>
        /^(?:[svx]?vd[a-z]|sd[a-z]|nvme|mem|kmsg|kvm|port|loop|dm-|mapper|fuse)/.test(name),
      );
      return need(disks.length > 0, disks.join(", "));
    },
  },
  {
    kind: "attempt",
    name: "gain rights by a setuid program",
    numbers: [42],
    control: "plain",
    attempt: () => need(/^NoNewPrivs:\s+0$/m.test(readFileSync("/proc/self/status", "utf8")), "setuid programs work"),
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
      return make({
        call: process.arch === "x64" ? 188 : 5,
        args: [join(work, "capable"), "security.capability", value, value.length, 0],
      });
    },
  },
  {
    kind: "attempt",
    name: "make a file that nobody can remove (immutable)",
    control: { on: "plain", only: "root", because: "no person may set the flag" },
    attempt({ work }) {
      writeFileSync(join(work, "forever"), "x");
      const flag = (flags: number) =>
        make(
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
    if (entry.isFile() && !entry.name.startsWith("orders-")) found += readQuietly(path);
    else if (entry.isDirectory() && depth > 0) found += search(path, depth - 1);
  }
  return found;
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
