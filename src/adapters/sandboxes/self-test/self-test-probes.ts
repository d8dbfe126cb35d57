import { existsSync, rmSync, statSync } from "node:fs";
import type { NetConnectOpts } from "node:net";
import { join } from "node:path";
import { shellWord } from "../../../core/change/related-command.ts";
import { hardSeconds } from "../bubblewrap/init-script.ts";
import { NAMESPACES, readSeccomp, type Scene } from "./self-test-scene.ts";

/** Result of one attempt to break out of the sandbox. */
export interface Probe {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export interface ProbeRule {
  readonly name: string;
  /** Shell lines that run in the sandbox. `evaluate` reads their output. */
  readonly script: (scene: Scene) => string;
  /** Runs outside of the sandbox, after all scripts. Returns the problem, or null if the sandbox held. */
  readonly evaluate: (printed: string, scene: Scene) => string | null;
  /** The detail that is shown if the sandbox held. */
  readonly successDetail: string;
}

/** Need only a shell and files, so they run on every system. */
export const FILE_PROBES: readonly ProbeRule[] = [
  {
    name: "writes outside",
    script: ({ outside }) => `echo x > ${shellWord(join(outside, "written"))}; echo tried`,
    evaluate: (printed, { outside }) =>
      checkCompleted(printed) ??
      (existsSync(join(outside, "written")) ? "a file outside of the workspace was written" : null),
    successDetail: "nothing outside of the workspace can be written",
  },
  {
    name: "Nightshift's data",
    script: ({ secret }) => `cat ${shellWord(secret)}; echo tried`,
    evaluate: (printed, { id }) =>
      checkCompleted(printed) ?? (printed.includes(id) ? "a file of Nightshift was read" : null),
    successDetail: "not visible",
  },
  {
    name: "your home",
    script: ({ userFiles }) =>
      `for file in ${userFiles.map(shellWord).join(" ")}; do [ -e "$file" ] && echo "found: $file"; done; echo tried`,
    evaluate: (printed) => {
      const found = /^found: (.*)$/m.exec(printed)?.[1];
      return checkCompleted(printed) ?? (found === undefined ? null : `${found} is visible`);
    },
    successDetail: "not visible",
  },
  {
    name: "temporary files",
    script: ({ id, socketPath }) =>
      `echo x > /tmp/nightshift-${id}; echo x > /dev/shm/nightshift-${id}; [ -e ${shellWord(socketPath)} ] && echo shared; echo tried`,
    evaluate: (printed, { id }) => {
      const created = ["/tmp", "/dev/shm"]
        .map((dir) => join(dir, `nightshift-${id}`))
        .filter((file) => existsSync(file));
      for (const file of created) rmSync(file, { force: true });
      if (created.length > 0) return `${created.join(" and ")} appeared outside`;
      return (
        checkCompleted(printed) ??
        (printed.includes("shared") ? "temporary files of other processes are visible" : null)
      );
    },
    successDetail: "a private /tmp",
  },
];

/** The command reads these values about itself from /proc. */
export const PROC_PROBES: readonly ProbeRule[] = [
  {
    name: "processes",
    script: () => `read -r pid rest < /proc/self/stat; echo "$$ $pid $(readlink /proc/self/ns/pid)"`,
    // Equal pids mean that /proc shows this namespace. The namespace must differ from the one of Nightshift.
    evaluate: (printed, { namespaces }) => {
      const [self, shown, namespace] = printed.trim().split(/\s+/);
      if (namespace === undefined) return "could not be tested";
      if (namespace === namespaces["pid"]) return "all processes of the machine are visible and can be signalled";
      return self === shown ? null : "/proc shows the processes of the machine";
    },
    successDetail: "only its own are visible",
  },
  {
    name: "namespaces",
    script: () => NAMESPACES.map((name) => `echo "${name} $(readlink /proc/self/ns/${name})"`).join("; "),
    evaluate: (printed, { namespaces }) => {
      const inside = new Map(printed.split("\n").map((line): [string, string] => splitLine(line)));
      const shared = Object.entries(namespaces).filter(([name, outside]) => (inside.get(name) ?? outside) === outside);
      return shared.length === 0 ? null : `shared with the machine: ${shared.map(([name]) => name).join(", ")}`;
    },
    successDetail: NAMESPACES.join(", "),
  },
  {
    name: "user",
    script: ({ work }) => `: > ${shellWord(join(work, "owned"))}; grep '^Uid:' /proc/self/status`,
    evaluate: (printed, { work }) => {
      const uids = /^Uid:\s+(.*)$/m.exec(printed)?.[1]?.split(/\s+/);
      const file = join(work, "owned");
      if (uids === undefined || !existsSync(file)) return "could not be tested";
      if (uids.includes("0")) return "commands run as root";
      return statSync(file).uid === 0 ? "commands run as root outside of the sandbox" : null;
    },
    successDetail: "commands do not run as root",
  },
  {
    name: "capabilities",
    script: () => "grep '^Cap' /proc/self/status",
    evaluate: (printed) => {
      const sets = [...printed.matchAll(/^(Cap\w+):\s+([0-9a-f]+)$/gm)];
      const filled = sets.filter(([, , bits]) => BigInt(`0x${bits ?? "1"}`) !== 0n).map(([, name]) => name);
      if (sets.length < 4) return "could not be tested";
      return filled.length === 0 ? null : `not empty: ${filled.join(", ")}`;
    },
    successDetail: "none",
  },
  {
    name: "new privileges",
    script: () => "grep '^NoNewPrivs:' /proc/self/status",
    evaluate: (printed) => (/:\s+1\s*$/.test(printed) ? null : "setuid programs work"),
    successDetail: "setuid programs do not work",
  },
  {
    name: "system calls",
    script: () => "grep '^Seccomp' /proc/self/status",
    // A container may already filter this process, so the command must have an additional filter.
    evaluate: (printed, { seccomp }) => {
      const inside = readSeccomp(printed);
      if (inside.mode !== 2) return "there is no filter";
      const hasOwnFilter = inside.filters === null ? seccomp.mode === 0 : inside.filters > (seccomp.filters ?? 0);
      return hasOwnFilter ? null : "there is no filter except the one of Nightshift itself";
    },
    successDetail: "filtered",
  },
  {
    name: "limits",
    script: () => "cat /proc/self/limits",
    evaluate: (printed, { policy: { limits } }) => {
      const expected = [
        ["Max processes", limits.processes],
        ["Max data size", limits.memoryBytes],
        ["Max file size", limits.fileBytes],
        ["Max cpu time", hardSeconds(limits.cpuSeconds ?? Number.POSITIVE_INFINITY)],
        ["Max core file size", 0],
      ] as const;
      const missing = expected.filter(([name, max]) => !(readLimit(printed, name) <= max)).map(([name]) => name);
      return missing.length === 0 ? null : `not applied: ${missing.join(", ")}`;
    },
    successDetail: "applied",
  },
];

/** Use only programs that are always installed: Node, a shell and util-linux. */
export const REACH_PROBES: readonly ProbeRule[] = [
  {
    ...connectionProbe("direct network", ({ tcpPort }) => ({ host: "127.0.0.1", port: tcpPort })),
    successDetail: "none",
  },
  connectionProbe("unix sockets", ({ socketPath }) => ({ path: socketPath })),
  connectionProbe("abstract sockets", ({ abstractSocket }) => ({ path: `\0${abstractSocket}` })),
  {
    name: "new namespaces",
    script: () => `unshare -U true; echo "exit $?"`,
    evaluate: expectFailure("a user namespace could be created, which grants capabilities"),
    successDetail: "refused",
  },
  {
    name: "kernel settings",
    // Only opens the file and writes nothing.
    script: () => `(: >> /proc/sys/kernel/core_pattern); echo "exit $?"`,
    evaluate: expectFailure("core_pattern can be written, which allows running code as root"),
    successDetail: "cannot be written",
  },
];

function connectionProbe(name: string, target: (scene: Scene) => NetConnectOpts): ProbeRule {
  return {
    name,
    script: (scene) => {
      const program = `require("net").connect(${JSON.stringify(target(scene))}, () => process.exit(0)).on("error", () => process.exit(1))`;
      return `${shellWord(scene.node)} -e ${shellWord(program)}; echo "exit $?"`;
    },
    evaluate: expectFailure("a listener outside was reached"),
    successDetail: "sockets outside cannot be reached",
  };
}

function expectFailure(problem: string): ProbeRule["evaluate"] {
  return (printed) => {
    const code = Number(/^exit (\d+)$/m.exec(printed)?.[1] ?? "127");
    // The shell's exit codes for "not executable", "not found" and "killed by a signal".
    if (code >= 126) return `could not be tested (${code})`;
    return code === 0 ? problem : null;
  };
}

/** Missing output proves nothing, so the probe must print "tried" at its end. */
function checkCompleted(printed: string): string | null {
  return printed.trimEnd().endsWith("tried") ? null : "could not be tested";
}

function readLimit(table: string, name: string): number {
  const hard = new RegExp(`^${name}\\s+\\S+\\s+(\\d+)`, "m").exec(table)?.[1];
  return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard);
}

function splitLine(line: string): [string, string] {
  const [name = "", value = ""] = line.trim().split(" ");
  return [name, value];
}
