import { closeSync, existsSync, openSync, readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { RESULT } from "../../../src/testing/syscalls/syscall-program.ts";
import type { Attack, Attempt, Fixture } from "../attack.ts";
import { DESCRIPTOR } from "../descriptor.ts";
import { callAll, refuseUnless, syscallNumber } from "../attacker-tools.ts";

const PTRACE_TRACEME = 0;
const PTRACE_SEIZE = 0x4206;
const PIDFD_OPEN = 434;
const PIDFD_SEND_SIGNAL = 424;
const SETPRIORITY = [141, 140] as const;

const processState = (pid: number) =>
  /^State:\s+(\w)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "gone";

/** Opening it is enough; nothing is written. */
function openAttack(name: string, path: (fixture: Fixture) => string, flags: string): Attempt {
  return {
    kind: "attempt",
    name,
    control: "plain",
    attempt(fixture) {
      closeSync(openSync(path(fixture), flags));
      return "open";
    },
  };
}

/** CAP_SETGID, CAP_SETUID, CAP_SETPCAP. */
const CHANGE_USER_CAPABILITIES = 0x1c0n;

export const attacks: readonly Attack[] = [
  {
    kind: "attempt",
    name: "trace a process of the machine",
    numbers: [20],
    control: "plain",
    attempt: ({ victimPid }) => callAll({ call: "ptrace", args: [PTRACE_SEIZE, victimPid, 0, 0] }),
  },
  {
    kind: "attempt",
    name: "trace a process of its own run",
    control: "plain",
    attempt: () => callAll({ call: "ptrace", args: [PTRACE_TRACEME, 0, 0, 0] }),
  },
  {
    kind: "attempt",
    name: "stop a child process of the daemon with SIGSTOP",
    numbers: [21],
    control: "plain",
    attempt({ victimPid }) {
      process.kill(victimPid, "SIGSTOP");
      return "signalled";
    },
    async harm({ victimPid }) {
      // A busy machine takes a moment until the signal reaches the process.
      for (let tries = 0; tries < 50 && processState(victimPid) !== "T"; tries++) await sleep(20);
      const isStopped = processState(victimPid) === "T";
      process.kill(victimPid, "SIGCONT");
      return isStopped ? "it was stopped" : null;
    },
  },
  {
    kind: "attempt",
    name: "send a signal to the daemon",
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
    name: "send a signal to another process with a pidfd",
    control: "plain",
    attempt: ({ victimPid }) =>
      callAll({ call: PIDFD_OPEN, args: [victimPid, 0] }, { call: PIDFD_SEND_SIGNAL, args: [RESULT, 0, 0, 0] }),
  },
  {
    kind: "attempt",
    name: "copy a descriptor of the daemon (pidfd_getfd)",
    control: "plain",
    attempt: ({ daemonPid }) =>
      callAll({ call: PIDFD_OPEN, args: [daemonPid, 0] }, { call: "pidfd_getfd", args: [RESULT, 2, 0] }),
  },
  {
    kind: "attempt",
    name: "read the memory of another process (process_vm_readv)",
    control: "plain",
    attempt: () => {
      const local = { words: [new Uint8Array(64), 64n] };
      const remote = { words: [0x40_0000n, 64n] };
      return callAll(
        { call: "getpid", args: [] },
        { call: "process_vm_readv", args: [RESULT, local, 1, remote, 1, 0] },
      );
    },
  },
  {
    kind: "attempt",
    name: "write the memory of another process (process_vm_writev)",
    control: "plain",
    attempt: () => {
      const local = { words: [new Uint8Array(8), 8n] };
      const remote = { words: [0x80_0000n, 8n] };
      return callAll(
        { call: "getpid", args: [] },
        { call: "process_vm_writev", args: [RESULT, local, 1, remote, 1, 0] },
      );
    },
  },
  openAttack("open the memory of the daemon", ({ daemonPid }) => `/proc/${daemonPid}/mem`, "r+"),
  openAttack(
    "open a file of the daemon through /proc/<pid>/fd",
    ({ daemonPid }) => `/proc/${daemonPid}/fd/${DESCRIPTOR}`,
    "a",
  ),
  {
    kind: "attempt",
    name: "list the processes of the machine",
    numbers: [48],
    control: "plain",
    attempt({ victimPid }) {
      const commands = readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => (existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : ""));
      const seesVictim =
        existsSync(`/proc/${victimPid}/cmdline`) &&
        readFileSync(`/proc/${victimPid}/cmdline`, "utf8").startsWith("sleep");
      return refuseUnless(
        seesVictim || commands.some((line) => line.includes("supervisor/main")),
        "other processes are visible",
      );
    },
  },
  {
    kind: "attempt",
    name: "use process 1 without a seccomp filter",
    numbers: [49],
    control: "namespace",
    attempt: () =>
      refuseUnless(/^Seccomp:\s+0$/m.test(readFileSync("/proc/1/status", "utf8")), "process 1 has no filter"),
  },
  {
    kind: "attempt",
    name: "find a process of its run with capabilities or without the seccomp filter",
    control: "namespace",
    attempt() {
      const privileged = readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name))
        .filter((pid) => {
          const status = readFileSync(`/proc/${pid}/status`, "utf8");
          // If root starts the sandbox, process 1 runs as another user than the agent, which cannot control it.
          const sets = pid === "1" ? "Prm|Eff|Amb" : "Prm|Eff|Bnd|Amb";
          const allowed = pid === "1" ? CHANGE_USER_CAPABILITIES : 0n;
          const held = [...status.matchAll(new RegExp(`^Cap(?:${sets}):\\s+([0-9a-f]+)$`, "gm"))];
          return /^Seccomp:\s+0$/m.test(status) || held.some((each) => (BigInt(`0x${each[1]}`) & ~allowed) !== 0n);
        });
      return refuseUnless(privileged.length > 0, `processes ${privileged.join(", ")}`);
    },
  },
  {
    kind: "attempt",
    name: "lower the priority of another process (setpriority)",
    control: "plain",
    attempt: ({ victimPid }) => callAll({ call: syscallNumber(SETPRIORITY), args: [0, victimPid, 10] }),
  },
  {
    kind: "attempt",
    name: "connect to the control socket of the supervisor",
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
