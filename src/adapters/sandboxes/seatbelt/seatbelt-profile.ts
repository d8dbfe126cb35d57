import { dirname, isAbsolute } from "node:path";
import { UserError } from "../../../core/text/errors.ts";
import type { SandboxPolicy } from "../../../ports/sandbox.ts";
import {
  MACH_SERVICES,
  PROGRAM_TREES,
  SYSCTL_NAMES,
  SYSCTL_PREFIXES,
  SYSTEM_FILES,
  SYSTEM_TREES,
} from "./seatbelt-system.ts";

/** Facts about the machine that are not in the policy. */
export interface SeatbeltFacts {
  /** Allows the system's own programs. */
  readonly withSystem: boolean;
  /** Additional programs, and the folders they need. */
  readonly programs: readonly string[];
  /** Reachable loopback ports: egress proxy and model gateway. */
  readonly ports: readonly number[];
}

/**
 * Translates the policy to the profile language of macOS's sandbox. All paths must be resolved, because the system compares
 * real paths. The last matching rule wins, so restrictions come after what they restrict.
 *
 * Written from public descriptions of the language and never run by us: see "macOS" in docs/security.md.
 */
export function seatbeltProfile(policy: SandboxPolicy, facts: SeatbeltFacts): string {
  const own = [policy.cwd, ...policy.own.read, ...policy.own.write];
  const readable = [...own, ...policy.read, ...policy.write, ...facts.programs];
  const writable = [...policy.own.write, ...policy.write];
  const rules = [
    "(version 1)",
    "(deny default)",
    ...PROCESSES,
    ...TERMINALS,
    rule("allow mach-lookup", names("global-name", MACH_SERVICES)),
    rule("allow sysctl-read", [...names("sysctl-name-prefix", SYSCTL_PREFIXES), ...names("sysctl-name", SYSCTL_NAMES)]),
    rule("allow file-read*", [...paths("subpath", SYSTEM_TREES), ...paths("literal", SYSTEM_FILES)]),
    rule("allow file-read*", paths("subpath", readable)),
    // Programs stat every parent directory of a file. The other contents of those stay hidden.
    rule("allow file-read-metadata", paths("literal", ancestors(readable))),
    rule("allow file-write*", paths("subpath", writable)),
    rule("deny file-write*", paths("subpath", policy.protect)),
    // Renaming a parent directory would move a protected path to where no rule matches it.
    rule("deny file-write-unlink", paths("literal", ancestors(policy.protect))),
    rule("allow file-map-executable", paths("subpath", [...SYSTEM_TREES, ...readable])),
    rule("allow process-exec*", paths("subpath", [...(facts.withSystem ? PROGRAM_TREES : []), ...readable])),
    ...(policy.executes ? [] : forbidExecution(policy.cwd, writable)),
    rule("allow network-outbound", facts.ports.map(loopback)),
  ];
  return `${rules.filter((each) => each !== null).join("\n")}\n`;
}

const PROCESSES = [
  "(allow process-fork)",
  "(allow process-info* (target same-sandbox))",
  "(allow signal (target same-sandbox))",
  "(allow ipc-posix-sem)",
  '(allow file-write-data (literal "/dev/null") (literal "/dev/zero"))',
  // Inherited output. Files that cannot be opened otherwise cannot be opened this way either.
  '(allow file-write-data (subpath "/dev/fd"))',
];

/** Terminals that the command opened itself, which the extension identifies. */
const TERMINALS = [
  "(allow pseudo-tty)",
  '(allow file-read* file-write* file-ioctl (literal "/dev/ptmx"))',
  '(allow file-read* file-write* file-ioctl (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))',
];

function forbidExecution(cwd: string, writable: readonly string[]): (string | null)[] {
  return [
    rule("deny file-write*", paths("subpath", [cwd])),
    rule("deny process-exec* file-map-executable", paths("subpath", [cwd, ...writable])),
  ];
}

/** Returns null without filters, because a rule without a filter applies to everything. */
function rule(head: string, filters: readonly string[]): string | null {
  return filters.length === 0 ? null : `(${head}\n  ${[...new Set(filters)].join("\n  ")})`;
}

function paths(filter: "subpath" | "literal", list: readonly string[]): string[] {
  return list.map((path) => `(${filter} ${quote(checkPath(path))})`);
}

function names(filter: string, list: readonly string[]): string[] {
  return list.map((name) => `(${filter} ${quote(name)})`);
}

function loopback(port: number): string {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`${port} is not a valid port.`);
  return `(remote ip "localhost:${port}")`;
}

function ancestors(list: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of list) for (let up = dirname(path); up !== dirname(up); up = dirname(up)) found.add(up);
  return [...found];
}

/** In the profile's strings only backslashes and quotes are special; everything else is UTF-8. */
function quote(text: string): string {
  // oxlint-disable-next-line no-control-regex -- matches control characters
  const escaped = text.replaceAll(/["\\\u0000-\u001F\u007F]/g, (each) =>
    each === '"' || each === "\\" ? `\\${each}` : `\\x${each.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  return `"${escaped}"`;
}

function checkPath(path: string): string {
  const isReal = isAbsolute(path) && !path.includes("\0") && !path.split("/").some((part) => /^\.\.?$/.test(part));
  // A lone surrogate would be written as a different character than the one that was checked.
  if (isReal && path.isWellFormed() && (path === "/" || !path.endsWith("/"))) return path;
  throw new UserError(
    "forbidden",
    `${JSON.stringify(path)} cannot be used in a sandbox profile.`,
    "Use an absolute path without `.`, `..` or a trailing slash.",
  );
}
