import { existsSync, rmSync, statSync } from "node:fs";
import type { NetConnectOpts } from "node:net";
import { join } from "node:path";
import { hardSeconds } from "../bubblewrap/init-script.ts";
import { readSeccomp } from "./read-seccomp.ts";
import { NAMESPACES, type Scene } from "./self-test-scene.ts";

/** What one reach over the wall came to. */
export interface Probe {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface ProbeRule {
  readonly name: string;
  /** Shell lines that run inside, and print what the judge reads. */
  readonly script: (scene: Scene) => string;
  /** Outside, after all of it, with what the script printed: null when the wall held, else what got through. */
  readonly judge: (printed: string, scene: Scene) => string | null;
  /** Said when it held. */
  readonly held: string;
}

/** These need no more than a shell and files, so they run on every system. */
export const FILE_PROBES: readonly ProbeRule[] = [
  {
    name: "writes outside",
    script: ({ outside }) => `echo x > ${quote(join(outside, "written"))}; echo tried`,
    judge: (printed, { outside }) =>
      tried(printed) ?? (existsSync(join(outside, "written")) ? "a file outside of the workspace was written" : null),
    held: "nothing outside of the workspace can be written",
  },
  {
    name: "Nightshift's data",
    script: ({ secret }) => `cat ${quote(secret)}; echo tried`,
    judge: (printed, { id }) => tried(printed) ?? (printed.includes(id) ? "a file of Nightshift was read" : null),
    held: "not there",
  },
  {
    name: "your home",
    script: ({ personFiles }) =>
      `for file in ${personFiles.map((file) => quote(file)).join(" ")}; do [ -e "$file" ] && echo "found: $file"; done; echo tried`,
    judge: (printed) => {
      const found = /^found: (.*)$/m.exec(printed)?.[1];
      return tried(printed) ?? (found === undefined ? null : `${found} is there`);
    },
    held: "not there",
  },
  {
    name: "temporary files",
    script: ({ id, socketPath }) =>
      `echo x > /tmp/nightshift-${id}; echo x > /dev/shm/nightshift-${id}; [ -e ${quote(socketPath)} ] && echo shared; echo tried`,
    judge: (printed, { id }) => {
      const left = ["/tmp", "/dev/shm"].map((dir) => join(dir, `nightshift-${id}`)).filter((file) => existsSync(file));
      for (const file of left) rmSync(file, { force: true });
      if (left.length > 0) return `${left.join(" and ")} appeared outside`;
      return tried(printed) ?? (printed.includes("shared") ? "those of others can be seen" : null);
    },
    held: "a /tmp of its own",
  },
];

/** Read from /proc by the command about itself. */
export const PROC_PROBES: readonly ProbeRule[] = [
  {
    name: "processes",
    script: () => `read -r pid rest < /proc/self/stat; echo "$$ $pid $(readlink /proc/self/ns/pid)"`,
    // The same number twice: what /proc shows are the processes of this namespace. Another namespace: they are not ours.
    judge: (printed, { namespaces }) => {
      const [self, shown, namespace] = printed.trim().split(/\s+/);
      if (namespace === undefined) return "could not be tried";
      if (namespace === namespaces["pid"]) return "all processes of the machine can be seen and signalled";
      return self === shown ? null : "/proc is the one of the machine";
    },
    held: "only its own can be seen",
  },
  {
    name: "namespaces",
    script: () => NAMESPACES.map((name) => `echo "${name} $(readlink /proc/self/ns/${name})"`).join("; "),
    judge: (printed, { namespaces }) => {
      const own = new Map(printed.split("\n").map((line): [string, string] => split(line)));
      const shared = Object.entries(namespaces).filter(([name, ours]) => (own.get(name) ?? ours) === ours);
      return shared.length === 0 ? null : `shared with the machine: ${shared.map(([name]) => name).join(", ")}`;
    },
    held: NAMESPACES.join(", "),
  },
  {
    name: "user",
    script: ({ work }) => `: > ${quote(join(work, "owned"))}; grep '^Uid:' /proc/self/status`,
    judge: (printed, { work }) => {
      const uids = /^Uid:\s+(.*)$/m.exec(printed)?.[1]?.split(/\s+/);
      const file = join(work, "owned");
      if (uids === undefined || !existsSync(file)) return "could not be tried";
      if (uids.includes("0")) return "commands are root";
      return statSync(file).uid === 0 ? "commands are root outside, though not inside" : null;
    },
    held: "commands are not root",
  },
  {
    name: "capabilities",
    script: () => "grep '^Cap' /proc/self/status",
    judge: (printed) => {
      const sets = [...printed.matchAll(/^(Cap\w+):\s+([0-9a-f]+)$/gm)];
      const filled = sets.filter(([, , bits]) => BigInt(`0x${bits ?? "1"}`) !== 0n).map(([, name]) => name);
      if (sets.length < 4) return "could not be tried";
      return filled.length === 0 ? null : `not empty: ${filled.join(", ")}`;
    },
    held: "none, and none to be had",
  },
  {
    name: "new privileges",
    script: () => "grep '^NoNewPrivs:' /proc/self/status",
    judge: (printed) => (/:\s+1\s*$/.test(printed) ? null : "programs with a setuid bit work"),
    held: "none by setuid programs",
  },
  {
    name: "system calls",
    script: () => "grep '^Seccomp' /proc/self/status",
    // A container may filter us already, so the filter of this command has to come on top of those.
    judge: (printed, { seccomp }) => {
      const inside = readSeccomp(printed);
      if (inside.mode !== 2) return "there is no filter";
      const isOurs = inside.filters === null ? seccomp.mode === 0 : inside.filters > (seccomp.filters ?? 0);
      return isOurs ? null : "there is no filter but the one around Nightshift";
    },
    held: "filtered",
  },
  {
    name: "limits",
    script: () => "cat /proc/self/limits",
    judge: (printed, { policy: { limits } }) => {
      const wanted = [
        ["Max processes", limits.processes],
        ["Max data size", limits.memoryBytes],
        ["Max file size", limits.fileBytes],
        ["Max cpu time", hardSeconds(limits.cpuSeconds ?? Number.POSITIVE_INFINITY)],
        ["Max core file size", 0],
      ] as const;
      const loose = wanted.filter(([name, most]) => !(readLimit(printed, name) <= most)).map(([name]) => name);
      return loose.length === 0 ? null : `not in force: ${loose.join(", ")}`;
    },
    held: "in force",
  },
];

/** Made with the programs that are there anyway: Node, a shell and util-linux. */
export const REACH_PROBES: readonly ProbeRule[] = [
  { ...connection("direct network", ({ tcpPort }) => ({ host: "127.0.0.1", port: tcpPort })), held: "none" },
  connection("unix sockets", ({ socketPath }) => ({ path: socketPath })),
  connection("abstract sockets", ({ abstractSocket }) => ({ path: `\0${abstractSocket}` })),
  {
    name: "new namespaces",
    script: () => `unshare -U true; echo "exit $?"`,
    judge: refused("a user namespace could be made, and capabilities with it"),
    held: "refused",
  },
  {
    name: "kernel settings",
    // Opened, and never written to.
    script: () => `(: >> /proc/sys/kernel/core_pattern); echo "exit $?"`,
    judge: refused("core_pattern can be written, which is root on this machine"),
    held: "cannot be written",
  },
];

function connection(name: string, target: (scene: Scene) => NetConnectOpts): ProbeRule {
  return {
    name,
    script: (scene) => {
      const program = `require("net").connect(${JSON.stringify(target(scene))}, () => process.exit(0)).on("error", () => process.exit(1))`;
      return `${quote(scene.node)} -e ${quote(program)}; echo "exit $?"`;
    },
    judge: refused("a listener outside was reached"),
    held: "those outside cannot be reached",
  };
}

function refused(through: string): ProbeRule["judge"] {
  return (printed) => {
    const code = Number(/^exit (\d+)$/m.exec(printed)?.[1] ?? "127");
    // A shell's codes for "not executable", "not found" and "killed by a signal".
    if (code >= 126) return `could not be tried (${code})`;
    return code === 0 ? through : null;
  };
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Silence is no proof: the script must have come to the end of the probe. */
function tried(printed: string): string | null {
  return printed.trimEnd().endsWith("tried") ? null : "could not be tried";
}

function readLimit(table: string, name: string): number {
  const hard = new RegExp(`^${name}\\s+\\S+\\s+(\\d+)`, "m").exec(table)?.[1];
  return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard);
}

function split(line: string): [string, string] {
  const [name = "", value = ""] = line.trim().split(" ");
  return [name, value];
}
