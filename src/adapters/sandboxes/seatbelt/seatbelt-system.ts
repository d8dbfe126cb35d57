/** Directories with programs. */
export const PROGRAM_TREES: readonly string[] = [
  "/bin",
  "/sbin",
  "/usr",
  "/System",
  "/Library/Apple",
  "/Library/Developer",
  "/Library/Java",
  "/opt/homebrew",
];

/** Parts of macOS that a command-line program needs to read. Not all of /Library: it contains the system keychain. */
export const SYSTEM_TREES: readonly string[] = [
  ...PROGRAM_TREES,
  "/Library/Frameworks",
  "/private/etc/ssl",
  "/private/var/db/dyld",
  "/private/var/db/timezone",
  "/private/var/select",
  "/dev/fd",
];

export const SYSTEM_FILES: readonly string[] = [
  "/",
  // Links to /private.
  "/etc",
  "/tmp",
  "/var",
  "/private/etc/group",
  "/private/etc/hosts",
  "/private/etc/localtime",
  "/private/etc/passwd",
  "/private/etc/protocols",
  "/private/etc/resolv.conf",
  "/private/etc/services",
  "/private/etc/shells",
  "/dev",
  "/dev/null",
  "/dev/random",
  "/dev/urandom",
  "/dev/zero",
];

/** User and group names, notifications, the system log. Deliberately excluded: keychain, trust, preferences, pasteboard. */
export const MACH_SERVICES: readonly string[] = [
  "com.apple.bsd.dirhelper",
  "com.apple.logd",
  "com.apple.system.logger",
  "com.apple.system.notification_center",
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.opendirectoryd.membership",
];

/** Without `kern.proc`, which lists all processes, and `kern.procargs2`, which includes their environment. */
export const SYSCTL_PREFIXES: readonly string[] = ["hw.", "machdep.cpu."];

export const SYSCTL_NAMES: readonly string[] = [
  "kern.argmax",
  "kern.boottime",
  "kern.hostname",
  "kern.maxfilesperproc",
  "kern.maxproc",
  "kern.ngroups",
  "kern.osproductversion",
  "kern.osrelease",
  "kern.ostype",
  "kern.osvariant_status",
  "kern.osversion",
  "kern.secure_kernel",
  "kern.usrstack64",
  "kern.version",
  "security.mac.lockdown_mode_state",
  "sysctl.proc_cputype",
  "vm.loadavg",
];
