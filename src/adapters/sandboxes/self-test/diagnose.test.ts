import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UserError } from "../../../core/text/errors.ts";
import { diagnose, missingToolError, outdatedBubblewrapError } from "./diagnose.ts";
import { findBubblewrap } from "../bubblewrap/find-bubblewrap.ts";
import { readLinuxMachine, type LinuxMachine } from "../bubblewrap/linux-machine.ts";

const MACHINE: LinuxMachine = {
  distribution: ["debian"],
  maxUserNamespaces: 15_000,
  unprivilegedClone: 1,
  apparmorRestricts: false,
  container: null,
};

const NO_NAMESPACE = "bwrap: No permissions to create new namespace, likely because the kernel does not allow it.\n";
const UID_MAP = "bwrap: setting up uid map: Permission denied\n";

describe("a missing or outdated bubblewrap", () => {
  test.for([
    [["debian"], "sudo apt-get install -y bubblewrap"],
    [["ubuntu", "debian"], "sudo apt-get install -y bubblewrap"],
    [["linuxmint", "ubuntu", "debian"], "sudo apt-get install -y bubblewrap"],
    [["fedora"], "sudo dnf install -y bubblewrap"],
    [["rocky", "rhel", "centos", "fedora"], "sudo dnf install -y bubblewrap"],
    [["arch"], "sudo pacman -S --noconfirm bubblewrap"],
    [["alpine"], "sudo apk add bubblewrap"],
    [["opensuse-leap", "suse"], "sudo zypper install -y bubblewrap"],
    [["unknown"], "Install bubblewrap with your system's package manager."],
  ] as const)("on %j: %s", ([distribution, command]) => {
    const error = missingToolError("bwrap", { ...MACHINE, distribution });
    expect(error).toMatchObject({ kind: "unavailable", message: expect.stringContaining("is not installed") });
    expect(error.hint).toContain(command);
  });

  test("names the package of other missing programs", () => {
    expect(missingToolError("setpriv", MACHINE)).toMatchObject({
      message: expect.stringContaining("setpriv"),
      hint: expect.stringContaining("apt-get install -y util-linux"),
    });
  });

  test("an outdated version names the required one", () => {
    const { message } = outdatedBubblewrapError("/usr/bin/bwrap", "0.6.1", MACHINE);
    expect(message).toContain("/usr/bin/bwrap is bubblewrap 0.6.1; version 0.8.0 or newer is required");
  });
});

const NO_LIMITS = "/bin/sh: 1: cannot create /proc/sys/user/max_inotify_instances: Permission denied\n";

describe("diagnose", () => {
  test.for([
    [UID_MAP, {}, "AppArmor", "/etc/apparmor.d/nightshift-bwrap"],
    ["bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted\n", {}, "AppArmor", "apparmor_parser -r"],
    ["unshare: write failed /proc/self/uid_map: Operation not permitted\n", {}, "AppArmor", "/usr/bin/{bwrap,unshare}"],
    [NO_NAMESPACE, { apparmorRestricts: true }, "AppArmor", "apparmor_parser -r"],
    [NO_LIMITS, { apparmorRestricts: true }, "AppArmor", "apparmor_parser -r"],
    [NO_LIMITS, { container: "docker" }, "in a container", "systempaths=unconfined"],
    ["unshare: unshare failed: No space left on device\n", {}, "limit of namespaces", "sysctl -w"],
    ["unshare: unshare failed: No space left on device\n", { maxUserNamespaces: 0 }, "is 0", "sysctl -w"],
    [NO_NAMESPACE, { maxUserNamespaces: 0 }, "user.max_user_namespaces is 0", "sysctl -w user.max_user_namespaces="],
    ["bwrap: Creating new namespace failed: No space left on device\n", { maxUserNamespaces: 0 }, "is 0", "sysctl -w"],
    [NO_NAMESPACE, { unprivilegedClone: 0 }, "unprivileged_userns_clone is 0", "kernel.unprivileged_userns_clone=1"],
    [NO_NAMESPACE, { container: "docker" }, "in a container", "sandbox.mode: external"],
    [
      "bwrap: Can't mount proc on /newroot/proc: Operation not permitted\n",
      { container: "podman" },
      "container",
      "mode",
    ],
    [NO_NAMESPACE, {}, "does not allow user namespaces", "max_user_namespaces"],
    [
      "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)\n",
      {},
      "limit of namespaces",
      "sysctl -w",
    ],
    ["bwrap: Unknown option --disable-userns\n", {}, "too old; version 0.8.0", "newer bubblewrap"],
    ["bwrap: execvp /usr/bin/setpriv: No such file or directory\n", {}, "setpriv", "util-linux"],
    ["bwrap: Can't find source path /gone: No such file or directory\n", {}, "Can't find source path /gone", "doctor"],
    ["", {}, "reported no reason", "doctor"],
  ] as const)("explains %j with %j", ([stderr, machine, message, hint]) => {
    const diagnosis = diagnose(stderr, { ...MACHINE, ...machine });
    expect(diagnosis.message).toContain(message);
    expect(diagnosis.hint).toContain(hint);
  });

  test("prefers a cause confirmed by a setting to a guess", () => {
    const machine = { ...MACHINE, apparmorRestricts: true, maxUserNamespaces: 0 };
    expect(diagnose(UID_MAP, machine).message).toContain("max_user_namespaces is 0");
  });

  test("no hint advises to run agents without isolation", () => {
    const hints = [UID_MAP, NO_NAMESPACE, "", "bwrap: execvp prlimit: No such file or directory"].map(
      (stderr) => diagnose(stderr, MACHINE).hint,
    );
    for (const hint of [
      ...hints,
      missingToolError("bwrap", MACHINE).hint,
      outdatedBubblewrapError("b", "0.1.0", MACHINE).hint,
    ])
      expect(hint).not.toMatch(/`none`|without it/);
  });

  test("uses only the last line of long output, truncated", () => {
    const { message } = diagnose(`${"warning\n".repeat(1000)}bwrap: ${"x".repeat(1000)}\n`, MACHINE);
    expect(message.length).toBeLessThan(400);
    expect(message).toContain("bwrap: xxx");
  });
});

test("readLinuxMachine: reads system files, and returns null for missing ones", () => {
  const files: Record<string, string> = {
    "/etc/os-release": 'NAME="Rocky Linux"\nID="rocky"\nID_LIKE="rhel centos fedora"\n',
    "/proc/sys/user/max_user_namespaces": "0\n",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1\n",
    "/.dockerenv": "",
  };
  expect(readLinuxMachine((file) => files[file] ?? null)).toEqual({
    distribution: ["rocky", "rhel", "centos", "fedora"],
    maxUserNamespaces: 0,
    unprivilegedClone: null,
    apparmorRestricts: true,
    container: "docker",
  });
  expect(readLinuxMachine(() => null)).toEqual({
    distribution: [],
    maxUserNamespaces: null,
    unprivilegedClone: null,
    apparmorRestricts: false,
    container: null,
  });
});

describe("findBubblewrap", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "bwrap-"));
  });
  afterEach(() => {
    rmSync(dir, { recursive: true });
  });

  const install = (script: string): void => {
    writeFileSync(join(dir, "bwrap"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  };

  test("returns one that is new enough", async () => {
    install("echo bubblewrap 0.12.0");
    expect(await findBubblewrap(["/nowhere", dir])).toEqual({ path: join(dir, "bwrap"), version: "0.12.0" });
  });

  test.for([
    ["echo bubblewrap 0.7.0", "0.8.0 or newer is required"],
    ["echo bubblewrap 0.4.10", "0.8.0 or newer is required"],
    ["echo something else", "printed no version"],
    ["echo bwrap: broken >&2; exit 1", "bwrap: broken"],
  ] as const)("rejects `%s`: %s", async ([script, message]) => {
    install(script);
    await expect(findBubblewrap([dir])).rejects.toThrow(UserError);
    await expect(findBubblewrap([dir])).rejects.toThrow(message);
  });

  test("reports that it is not installed", async () => {
    await expect(findBubblewrap([dir])).rejects.toMatchObject({ kind: "unavailable", message: /not installed/ });
  });
});
