import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { RESULT } from "../../../src/testing/syscalls/syscall-program.ts";
import type { Attack, Attempt, Scene } from "../attack.ts";
import { DESCRIPTOR } from "../descriptor.ts";
import { make, need, numberOf } from "../inside.ts";

const PTRACE_TRACEME = 0;
const PTRACE_SEIZE = 0x4206;
const PIDFD_OPEN = 434;
const PIDFD_SEND_SIGNAL = 424;
const SETPRIORITY = [141, 140] as const;

const state = (pid: number) => /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "gone";

/** Opening it is enough; nothing is written. */
function opens(name: string, path: (scene: Scene) => string, flags: string): Attempt {
  return {
    kind: "attempt",
    name,
    control: "plain",
    attempt(scene) {
      closeSync(openSync(path(scene), flags));
      return "open";
    },
  };
}

/** CAP_SETGID, CAP_SETUID, CAP_SETPCAP. */
const BECOME_ANOTHER = 0x1c0n;

export const attacks: readonly Attack[] = [
  {
    kind: "attempt",
    name: "trace a process of the machine",
    numbers: [20],
    control: "plain",
    attempt: ({ victimPid }) => make({ call: "ptrace", args: [PTRACE_SEIZE, victimPid, 0, 0] }),
  },
  {
    kind: "attempt",
    name: "trace a process of its own run",
    control: "plain",
    attempt: () => make({ call: "ptrace", args: [PTRACE_TRACEME, 0, 0, 0] }),
  },
  {
    kind: "attempt",
    name: "stop the daemon's child by its pid",
    numbers: [21],
    control: "plain",
    attempt({ victimPid }) {
      process.kill(victimPid, "SIGSTOP");
      return "signalled";
    },
    harm({ victimPid }) {
      const stopped = state(victimPid) === "T";
      process.kill(victimPid, "SIGCONT");
      return stopped ? "it stood still" : null;
    },
  },
  {
    kind: "attempt",
    name: "signal the parent that started it",
    numbers: [21],
    control: "plain",
    // Signal 0 only checks the permission. Inside, the parent is the harmless first process of the namespace.
    attempt({ daemonPid }) {
      process.kill(daemonPid, 0);
      return "the daemon can be signalled";
    },
  },
  {
    kind: "attempt",
    name: "signal by a pidfd instead of a pid",
    control: "plain",
    attempt: ({ victimPid }) =>
      make({ call: PIDFD_OPEN, args: [victimPid, 0] }, { call: PIDFD_SEND_SIGNAL, args: [RESULT, 0, 0, 0] }),
  },
  {
    kind: "attempt",
    name: "take a descriptor out of the daemon (pidfd_getfd)",
    control: "plain",
    attempt: ({ daemonPid }) =>
      make({ call: PIDFD_OPEN, args: [daemonPid, 0] }, { call: "pidfd_getfd", args: [RESULT, 2, 0] }),
  },
  {
    kind: "attempt",
    name: "read the memory of another process (process_vm_readv)",
    control: "plain",
    attempt: () => {
      const local = { words: [new Uint8Array(64), 64n] };
      const remote = { words: [0x40_0000n, 64n] };
      return make({ call: "getpid", args: [] }, { call: "process_vm_readv", args: [RESULT, local, 1, remote, 1, 0] });
    },
  },
  {
    kind: "attempt",
    name: "write the memory of another process (process_vm_writev)",
    control: "plain",
    attempt: () => {
      const local = { words: [new Uint8Array(8), 8n] };
      const remote = { words: [0x80_0000n, 8n] };
      return make({ call: "getpid", args: [] }, { call: "process_vm_writev", args: [RESULT, local, 1, remote, 1, 0] });
    },
  },
  opens("open the memory of the daemon", ({ daemonPid }) => `/proc/${daemonPid}/mem`, "r+"),
  opens(
    "a file that the daemon has open, by /proc/<pid>/fd",
    ({ daemonPid }) => `/proc/${daemonPid}/fd/${DESCRIPTOR}`,
    "a",
  ),
  {
    kind: "attempt",
    name: "see the processes of the machine",
    numbers: [48],
    control: "plain",
    attempt({ victimPid }) {
      const commands = readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => (existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : ""));
      const sees =
        existsSync(`/proc/${victimPid}/cmdline`) &&
        readFileSync(`/proc/${victimPid}/cmdline`, "utf8").startsWith("sleep");
      return need(sees || commands.some((line) => line.includes("supervisor/main")), "saw them");
    },
  },
  {
    kind: "attempt",
    name: "take over a first process that no filter binds",
    numbers: [49],
    control: "namespace",
    attempt: () =>
      need(/^Seccomp:\s+0$/m.test(readFileSync("/proc/1/status", "utf8")), "the first process is unfiltered"),
  },
  {
    kind: "attempt",
    name: "a process of the run without the filter or with capabilities",
    control: "namespace",
    attempt() {
      const loose = readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .filter((pid) => {
          const status = readFileSync(`/proc/${pid}/status`, "utf8");
          // If root starts it, the first process has a different user than the second and is out of its reach.
          const sets = pid === "1" ? "Prm|Eff|Amb" : "Prm|Eff|Bnd|Amb";
          const allowed = pid === "1" ? BECOME_ANOTHER : 0n;
          const held = [...status.matchAll(new RegExp(`^Cap(?:${sets}):\\s+([0-9a-f]+)$`, "gm"))];
          return /^Seccomp:\s+0$/m.test(status) || held.some((each) => (BigInt(`0x${each[1]}`) & ~allowed) !== 0n);
        });
      return need(loose.length > 0, `processes ${loose.join(", ")}`);
    },
  },
  {
    kind: "attempt",
    name: "slow down the daemon (setpriority)",
    control: "plain",
    attempt: ({ victimPid }) => make({ call: numberOf(SETPRIORITY), args: [0, victimPid, 10] }),
  },
  {
    kind: "attempt",
    name: "give the supervisor orders by its control socket",
    control: "plain",
    attempt: ({ controlSocket }) =>
      new Promise((done, fail) => {
        const socket = connect(controlSocket, () => {
          socket.destroy();
          done("connected");
        });
        socket.once("error", fail);
      }),
  },
];
