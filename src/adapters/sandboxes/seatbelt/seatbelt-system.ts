/** What a command-line program needs to read of macOS. /Library is not there as a whole: it holds the system's keychain. */
export const SYSTEM_TREES: readonly string[] = [
  "/bin",
  "/sbin",
  "/usr",
  "/System",
  "/Library/Apple",
  "/Library/Developer",
  "/Library/Frameworks",
  "/Library/Java",
  "/opt/homebrew",
  "/private/etc/ssl",
  "/private/var/db/dyld",
  "/private/var/db/timezone",
  "/private/var/select",
  "/dev/fd",
];

export const SYSTEM_FILES: readonly string[] = [
  "/",
  // Links into /private.
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

/** Where programs are; the other trees hold what they read. */
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

/** Users and groups by name, notifications, the system's log. Not here, on purpose: the keychain, trust, preferences, the pasteboard. */
export const MACH_SERVICES: readonly string[] = [
  "com.apple.bsd.dirhelper",
  "com.apple.logd",
  "com.apple.system.logger",
  "com.apple.system.notification_center",
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.opendirectoryd.membership",
];

/** Not `kern.proc`: it tells about the processes of everybody, `kern.procargs2` their environment too. */
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
