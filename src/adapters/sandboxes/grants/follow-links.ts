import { lstatSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

export interface ResolvedLinks {
  /** Every link on the path: its own real path and its target. */
  readonly links: ReadonlyMap<string, string>;
  readonly real: string;
}

/** The kernel's limit. */
const MAX_LINKS = 40;

/** Resolves an existing absolute path link by link. All of these links must exist inside for the path to work. */
export function followLinks(path: string): ResolvedLinks {
  const links = new Map<string, string>();
  const rest = partsOf(path);
  let real = "/";
  for (let followed = 0; rest.length > 0;) {
    const part = rest.shift() ?? "";
    const at = part === ".." ? dirname(real) : join(real, part);
    const target = part === ".." ? null : readLinkTarget(at);
    if (target === null) {
      real = at;
      continue;
    }
    followed += 1;
    if (followed > MAX_LINKS) throw new Error(`${path} leads through more than ${MAX_LINKS} links`);
    links.set(at, target);
    if (isAbsolute(target)) real = "/";
    rest.unshift(...partsOf(target));
  }
  return { links, real };
}

const linkTargets = new Map<string, string | null>();

/** The target of a link, null for everything else. Cached, because most programs are in the same few directories. */
function readLinkTarget(path: string): string | null {
  const seen = linkTargets.get(path);
  if (seen !== undefined) return seen;
  const target = lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
  linkTargets.set(path, target);
  return target;
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}
