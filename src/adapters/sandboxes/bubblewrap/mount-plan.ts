import { dirname } from "node:path";

/** One line of the sandbox's file system. Inside and outside paths are the same unless `at` says otherwise. */
export type Mount =
  | { readonly kind: "read" | "write"; readonly path: string; readonly at?: string; readonly ifThere?: boolean }
  | { readonly kind: "empty"; readonly path: string; readonly bytes: number }
  /** An empty directory that stays empty. */
  | { readonly kind: "void"; readonly path: string }
  | { readonly kind: "link"; readonly path: string; readonly target: string };

/**
 * Options of bubblewrap for these mounts. Parents come before what is inside them, or the one would hide the other; of two
 * for the same path the later one wins. Directories on the way are made, open to pass through: bubblewrap would close
 * those that are closed outside, and the user inside is another one.
 */
export function mountOptions(mounts: readonly Mount[]): readonly string[] {
  const made = new Set<string>(["/"]);
  const options: string[] = [];
  for (const mount of inOrder(mounts)) {
    // The same link twice is an error to bubblewrap, and nothing to us.
    if (mount.kind === "link" && made.has(mount.path)) continue;
    for (const parent of parentsOf(placeOf(mount))) {
      if (made.has(parent)) continue;
      made.add(parent);
      options.push("--dir", parent);
    }
    made.add(placeOf(mount));
    options.push(...optionsFor(mount));
  }
  return options;
}

function optionsFor(mount: Mount): readonly string[] {
  switch (mount.kind) {
    case "read":
      return [mount.ifThere === true ? "--ro-bind-try" : "--ro-bind", mount.path, placeOf(mount)];
    case "write":
      return ["--bind", mount.path, placeOf(mount)];
    case "empty":
      return ["--perms", "1777", "--size", String(mount.bytes), "--tmpfs", mount.path];
    case "void":
      return ["--tmpfs", mount.path, "--remount-ro", mount.path];
    case "link":
      return ["--symlink", mount.target, mount.path];
  }
}

function inOrder(mounts: readonly Mount[]): readonly Mount[] {
  const depth = (mount: Mount) => placeOf(mount).split("/").length;
  return mounts.toSorted((a, b) => depth(a) - depth(b));
}

function placeOf(mount: Mount): string {
  return "at" in mount && mount.at !== undefined ? mount.at : mount.path;
}

function parentsOf(path: string): readonly string[] {
  const parents: string[] = [];
  for (let at = dirname(path); at !== "/" && at !== "."; at = dirname(at)) parents.unshift(at);
  return parents;
}
