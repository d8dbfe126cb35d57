import { UserError } from "../../../core/text/errors.ts";
import { readLinuxMachine, type LinuxMachine } from "../bubblewrap/linux-machine.ts";

/** Why the wall did not come up, for people, and the one thing that repairs it. */
export interface Diagnosis {
  readonly message: string;
  readonly hint: string;
}

/** The two explicit ways out, at the end of every hint. */
export const WAYS_OUT =
  "To go on without it, set `sandbox.mode` in your config.yaml: `external` if Nightshift itself runs in a container or machine of its own, `none` to let agents run with all your rights.";

/** The first that can drop user namespaces inside (`--disable-userns`); root can do without. */
export const NEEDED_BUBBLEWRAP = "0.8.0";

const INSTALL: Readonly<Record<string, (packages: string) => string>> = {
  debian: (packages) => `sudo apt-get install -y ${packages}`,
  ubuntu: (packages) => `sudo apt-get install -y ${packages}`,
  fedora: (packages) => `sudo dnf install -y ${packages}`,
  rhel: (packages) => `sudo dnf install -y ${packages}`,
  centos: (packages) => `sudo dnf install -y ${packages}`,
  arch: (packages) => `sudo pacman -S --noconfirm ${packages}`,
  alpine: (packages) => `sudo apk add ${packages}`,
  suse: (packages) => `sudo zypper install -y ${packages}`,
};

/** A program that the wall is made with is not on this machine. */
export function missingTool(program: string, machine: LinuxMachine = readLinuxMachine()): UserError {
  const { message, hint } = explainMissing(program, machine);
  return new UserError("unavailable", message, hint);
}

function explainMissing(program: string, machine: LinuxMachine): Diagnosis {
  if (program === "bwrap") {
    const message = "bubblewrap (bwrap), which confines agents and checks, is not installed.";
    return { message, hint: install("bubblewrap", machine) };
  }
  const message = `The program ${program} (of util-linux), which the sandbox needs, is not installed.`;
  return { message, hint: install("util-linux", machine) };
}

export function oldBubblewrap(path: string, version: string, machine: LinuxMachine = readLinuxMachine()): UserError {
  return new UserError(
    "unavailable",
    `${path} is bubblewrap ${version}; needed is ${NEEDED_BUBBLEWRAP} or newer, which can forbid new user namespaces inside.`,
    install("bubblewrap", machine),
  );
}

/** What bubblewrap's complaint means on this machine. */
export function diagnose(stderr: string, machine: LinuxMachine = readLinuxMachine()): Diagnosis {
  const program = /execvp (?:\S*\/)?(\w+): No such file or directory/.exec(stderr)?.[1];
  if (program !== undefined && UTIL_LINUX.has(program)) return explainMissing(program, machine);
  const cause = CAUSES.find(({ isIt }) => isIt(stderr, machine));
  const said = stderr.trim().split("\n").at(-1)?.slice(0, 300) ?? "";
  if (cause === undefined)
    return {
      message:
        said === "" ? "The sandbox did not come up and did not say why." : `The sandbox did not come up: ${said}.`,
      hint: withWaysOut("`nightshift doctor` tries it again and says more."),
    };
  return {
    message: `The sandbox did not come up: ${cause.message} It said: ${said}`,
    hint: withWaysOut(cause.remedy),
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
const NO_RIGHTS_IN_IT =
  /setting up uid map: Permission denied|loopback: Failed RTM_NEWADDR|write failed \/proc\/self\/uid_map/;
const NO_MORE_NAMESPACES = /ENOSPC|new namespace failed: No space left/;
const NO_PROC = /Can't mount proc/;

/** The first that fits: a setting that was read beats a guess from words. */
const CAUSES: readonly Cause[] = [
  {
    isIt: (stderr, { maxUserNamespaces }) => maxUserNamespaces === 0 && isAboutNamespaces(stderr),
    message: "user namespaces are switched off (user.max_user_namespaces is 0).",
    remedy: "Run: sudo sysctl -w user.max_user_namespaces=15000 (and keep it in /etc/sysctl.d).",
  },
  {
    isIt: (stderr, { unprivilegedClone }) => unprivilegedClone === 0 && isAboutNamespaces(stderr),
    message: "user namespaces are for root alone (kernel.unprivileged_userns_clone is 0).",
    remedy: "Run: sudo sysctl -w kernel.unprivileged_userns_clone=1 (and keep it in /etc/sysctl.d).",
  },
  {
    isIt: (stderr, { container }) => container !== null && (isAboutNamespaces(stderr) || NO_PROC.test(stderr)),
    message: "Nightshift runs in a container that allows no namespaces of its own.",
    remedy:
      "The container is a wall itself: set `sandbox.mode: external`, or start it with the rights to make namespaces (docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined).",
  },
  {
    isIt: (stderr, { apparmorRestricts }) =>
      NO_RIGHTS_IN_IT.test(stderr) || (apparmorRestricts && NO_NAMESPACE.test(stderr)),
    message: "AppArmor allows bubblewrap no user namespaces, as on Ubuntu 24.04 and later.",
    remedy: `Allow it to bwrap alone: ${apparmorCommand()}`,
  },
  {
    isIt: (stderr) => /Unknown option --/.test(stderr),
    message: `this bubblewrap is too old; ${NEEDED_BUBBLEWRAP} or newer is needed.`,
    remedy: "Install a newer bubblewrap.",
  },
  {
    isIt: (stderr) => NO_MORE_NAMESPACES.test(stderr),
    message: "all namespaces that you may have are in use, or there is a limit of none (user.max_*_namespaces).",
    remedy: "Run: sudo sysctl -w user.max_user_namespaces=15000",
  },
  {
    isIt: (stderr) => NO_NAMESPACE.test(stderr),
    message: "this kernel gives you no user namespaces.",
    remedy: "See user.max_user_namespaces, kernel.unprivileged_userns_clone and AppArmor or SELinux on this machine.",
  },
];

function isAboutNamespaces(stderr: string): boolean {
  return NO_NAMESPACE.test(stderr) || NO_RIGHTS_IN_IT.test(stderr) || NO_MORE_NAMESPACES.test(stderr);
}

/** A profile for bwrap alone, which allows it this one thing; the rest of the machine stays as it was. */
function apparmorCommand(): string {
  const file = "/etc/apparmor.d/nightshift-bwrap";
  const profile = String.raw`abi <abi/4.0>,\nprofile nightshift-bwrap /usr/bin/bwrap flags=(unconfined) {\n  userns,\n}\n`;
  return `printf '${profile}' | sudo tee ${file} && sudo apparmor_parser -r ${file}`;
}

function install(packages: string, { distribution }: LinuxMachine): string {
  const command = distribution.map((id) => INSTALL[id]).find((each) => each !== undefined);
  return withWaysOut(
    command === undefined ? `Install ${packages} with your system's package manager.` : `Run: ${command(packages)}`,
  );
}

function withWaysOut(remedy: string): string {
  return `${remedy} ${WAYS_OUT}`;
}
