import { UserError } from "../../../core/text/errors.ts";
import { readLinuxMachine, type LinuxMachine } from "../bubblewrap/linux-machine.ts";

/** Why the sandbox did not start, and how to fix it. */
export interface Diagnosis {
  readonly message: string;
  readonly hint: string;
}

/** For machines that cannot run the sandbox. Never advises to run agents without any isolation. */
export const EXTERNAL_HINT =
  "If this machine cannot run the sandbox, run Nightshift in its own container or virtual machine and set `sandbox.mode: external` there.";

/** The first version with `--disable-userns`, which forbids user namespaces in the sandbox. */
export const MIN_BUBBLEWRAP_VERSION = "0.8.0";

const INSTALL_COMMANDS: Readonly<Record<string, (packages: string) => string>> = {
  debian: (packages) => `sudo apt-get install -y ${packages}`,
  ubuntu: (packages) => `sudo apt-get install -y ${packages}`,
  fedora: (packages) => `sudo dnf install -y ${packages}`,
  rhel: (packages) => `sudo dnf install -y ${packages}`,
  centos: (packages) => `sudo dnf install -y ${packages}`,
  arch: (packages) => `sudo pacman -S --noconfirm ${packages}`,
  alpine: (packages) => `sudo apk add ${packages}`,
  suse: (packages) => `sudo zypper install -y ${packages}`,
};

/** The error for a required program that is not installed. */
export function missingToolError(program: string, machine: LinuxMachine = readLinuxMachine()): UserError {
  const { message, hint } = explainMissing(program, machine);
  return new UserError("unavailable", message, hint);
}

function explainMissing(program: string, machine: LinuxMachine): Diagnosis {
  if (program === "bwrap") {
    const message = "bubblewrap (bwrap), which confines agents and checks, is not installed.";
    return { message, hint: installHint("bubblewrap", machine) };
  }
  const message = `The program ${program} (of util-linux), which the sandbox needs, is not installed.`;
  return { message, hint: installHint("util-linux", machine) };
}

export function outdatedBubblewrapError(
  path: string,
  version: string,
  machine: LinuxMachine = readLinuxMachine(),
): UserError {
  return new UserError(
    "unavailable",
    `${path} is bubblewrap ${version}; version ${MIN_BUBBLEWRAP_VERSION} or newer is required, because it can forbid user namespaces in the sandbox.`,
    installHint("bubblewrap", machine),
  );
}

/** Explains an error of bubblewrap on this machine. */
export function diagnose(stderr: string, machine: LinuxMachine = readLinuxMachine()): Diagnosis {
  const program = /execvp (?:\S*\/)?(\w+): No such file or directory/.exec(stderr)?.[1];
  if (program !== undefined && UTIL_LINUX.has(program)) return explainMissing(program, machine);
  const cause = CAUSES.find(({ isIt: matches }) => matches(stderr, machine));
  const lastLine = stderr.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
  if (cause === undefined)
    return {
      message:
        lastLine === ""
          ? "The sandbox did not start and reported no reason."
          : `The sandbox did not start: ${lastLine}.`,
      hint: "Run `nightshift doctor` for more details.",
    };
  return {
    message: `The sandbox did not start: ${cause.message} Output: ${lastLine}`,
    hint: withExternalHint(cause.remedy),
  };
}

const UTIL_LINUX: ReadonlySet<string> = new Set(["setpriv", "prlimit", "unshare", "mount"]);

interface Cause {
  readonly isIt: (stderr: string, machine: LinuxMachine) => boolean;
  readonly message: string;
  readonly remedy: string;
}

const NO_NAMESPACE =
  /No permissions to creat(?:e|ing) (?:a )?new namespace|Creating new namespace failed|unshare failed/;
const NO_NAMESPACE_PERMISSIONS =
  /setting up uid map: Permission denied|loopback: Failed RTM_NEWADDR|write failed \/proc\/self\/uid_map/;
/** A namespace whose limits its creator may not set, because AppArmor took away its capabilities or /proc/sys is read-only. */
const NO_NAMESPACE_LIMITS = /\/proc\/sys\/user\/max_\w+: (?:Permission denied|Read-only file system)/;
const NO_MORE_NAMESPACES = /ENOSPC|(?:new namespace|unshare) failed: No space left/;
const NO_PROC = /Can't mount proc/;

/** The first match counts. Causes confirmed by a setting of the machine come before guesses from the output. */
const CAUSES: readonly Cause[] = [
  {
    isIt: (stderr, { maxUserNamespaces }) => maxUserNamespaces === 0 && isAboutNamespaces(stderr),
    message: "user namespaces are disabled (user.max_user_namespaces is 0).",
    remedy: "Run: sudo sysctl -w user.max_user_namespaces=15000 (and keep it in /etc/sysctl.d).",
  },
  {
    isIt: (stderr, { unprivilegedClone }) => unprivilegedClone === 0 && isAboutNamespaces(stderr),
    message: "only root may create user namespaces (kernel.unprivileged_userns_clone is 0).",
    remedy: "Run: sudo sysctl -w kernel.unprivileged_userns_clone=1 (and keep it in /etc/sysctl.d).",
  },
  {
    isIt: (stderr, { container }) => container !== null && (isAboutNamespaces(stderr) || NO_PROC.test(stderr)),
    message: "Nightshift runs in a container that does not allow new namespaces.",
    remedy:
      "Set `sandbox.mode: external`, because the container already isolates agents, or start the container with permission to create namespaces (docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined).",
  },
  {
    isIt: (stderr, { apparmorRestricts }) =>
      NO_NAMESPACE_PERMISSIONS.test(stderr) || (apparmorRestricts && isAboutNamespaces(stderr)),
    message:
      "AppArmor does not allow bubblewrap (bwrap) and unshare to create user namespaces. This is the default on Ubuntu 24.04 and later.",
    remedy: `Allow it for these two programs: ${apparmorCommand()}`,
  },
  {
    isIt: (stderr) => /Unknown option --/.test(stderr),
    message: `bubblewrap is too old; version ${MIN_BUBBLEWRAP_VERSION} or newer is required.`,
    remedy: "Install a newer bubblewrap.",
  },
  {
    isIt: (stderr) => NO_MORE_NAMESPACES.test(stderr),
    message: "the limit of namespaces is reached or 0 (user.max_*_namespaces).",
    remedy: "Run: sudo sysctl -w user.max_user_namespaces=15000",
  },
  {
    isIt: (stderr) => NO_NAMESPACE.test(stderr),
    message: "this kernel does not allow user namespaces.",
    remedy:
      "Check user.max_user_namespaces, kernel.unprivileged_userns_clone, and AppArmor or SELinux on this machine.",
  },
];

function isAboutNamespaces(stderr: string): boolean {
  return [NO_NAMESPACE, NO_NAMESPACE_PERMISSIONS, NO_NAMESPACE_LIMITS, NO_MORE_NAMESPACES].some((words) =>
    words.test(stderr),
  );
}

/** Creates a profile that allows user namespaces for the two programs with which an ordinary user's sandbox starts. */
function apparmorCommand(): string {
  const file = "/etc/apparmor.d/nightshift-bwrap";
  const profile = String.raw`abi <abi/4.0>,\nprofile nightshift-bwrap /usr/bin/{bwrap,unshare} flags=(unconfined) {\n  userns,\n}\n`;
  return `printf '${profile}' | sudo tee ${file} && sudo apparmor_parser -r ${file}`;
}

function installHint(packages: string, { distribution }: LinuxMachine): string {
  const command = distribution.map((id) => INSTALL_COMMANDS[id]).find((each) => each !== undefined);
  return withExternalHint(
    command === undefined ? `Install ${packages} with your system's package manager.` : `Run: ${command(packages)}`,
  );
}

function withExternalHint(remedy: string): string {
  return `${remedy} ${EXTERNAL_HINT}`;
}
