import { lstatSync, readlinkSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

export interface Followed {
  /** Every link on the way, by its own real path, and what it says. */
  readonly links: ReadonlyMap<string, string>;
  readonly real: string;
}

/** As many as the kernel follows. */
const MOST_LINKS = 40;

/** The way of an existing absolute path, link by link: inside, each of them must be there for the path to lead anywhere. */
export function followLinks(path: string): Followed {
  const links = new Map<string, string>();
  const rest = partsOf(path);
  let real = "/";
  for (let followed = 0; rest.length > 0;) {
    const part = rest.shift() ?? "";
    const at = part === ".." ? dirname(real) : join(real, part);
    const target = part === ".." ? null : linkAt(at);
    if (target === null) {
      real = at;
      continue;
    }
    followed += 1;
    if (followed > MOST_LINKS) throw new Error(`${path} leads through more than ${MOST_LINKS} links`);
    links.set(at, target);
    if (isAbsolute(target)) real = "/";
    rest.unshift(...partsOf(target));
  }
  return { links, real };
}

const known = new Map<string, string | null>();

/** What a link says, null for all else; each is looked at once, since most programs stand in the same few directories. */
function linkAt(path: string): string | null {
  const seen = known.get(path);
  if (seen !== undefined) return seen;
  const target = lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
  known.set(path, target);
  return target;
}

function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}
