import { dirname } from "node:path";

/** One mount of the sandbox's file system. The path inside is the same as outside unless `at` is set. */
export type Mount =
  | { readonly kind: "read" | "write"; readonly path: string; readonly at?: string; readonly isOptional?: boolean }
  | { readonly kind: "empty"; readonly path: string; readonly bytes: number }
  /** A directory that is always empty. */
  | { readonly kind: "void"; readonly path: string }
  | { readonly kind: "link"; readonly path: string; readonly target: string };

/**
 * Returns bubblewrap's options for these mounts. Parents come before their children, or they would hide them; of two mounts
 * with the same path, the later one wins. Missing parent directories are created with open permissions: bubblewrap would
 * copy restrictive ones from outside, but the user inside is a different one.
 */
export function mountOptions(mounts: readonly Mount[]): readonly string[] {
  const created = new Set<string>(["/"]);
  const options: string[] = [];
  for (const mount of sortByDepth(mounts)) {
    // bubblewrap fails if the same link is created twice.
    if (mount.kind === "link" && created.has(mount.path)) continue;
    for (const parent of parentsOf(targetOf(mount))) {
      if (created.has(parent)) continue;
      created.add(parent);
      options.push("--dir", parent);
    }
    created.add(targetOf(mount));
    options.push(...optionsFor(mount));
  }
  return options;
}

function optionsFor(mount: Mount): readonly string[] {
  switch (mount.kind) {
    case "read":
      return [mount.isOptional === true ? "--ro-bind-try" : "--ro-bind", mount.path, targetOf(mount)];
    case "write":
      return ["--bind", mount.path, targetOf(mount)];
    case "empty":
      return ["--perms", "1777", "--size", String(mount.bytes), "--tmpfs", mount.path];
    case "void":
      return ["--tmpfs", mount.path, "--remount-ro", mount.path];
    case "link":
      return ["--symlink", mount.target, mount.path];
  }
}

function sortByDepth(mounts: readonly Mount[]): readonly Mount[] {
  const depth = (mount: Mount) => targetOf(mount).split("/").length;
  return mounts.toSorted((a, b) => depth(a) - depth(b));
}

function targetOf(mount: Mount): string {
  return "at" in mount && mount.at !== undefined ? mount.at : mount.path;
}

function parentsOf(path: string): readonly string[] {
  const parents: string[] = [];
  for (let at = dirname(path); at !== "/" && at !== "."; at = dirname(at)) parents.unshift(at);
  return parents;
}
