import { describe, expect, it } from "vitest";
import { ForgeError, MachineError, RemoteError, UserError } from "../text/errors.ts";
import { findMachineTrouble } from "./machine-trouble.ts";

const HOME = "/home/ada/.nightshift";

function failed(code: string, path?: string, syscall = "open"): Error {
  return Object.assign(new Error(`${code}: it failed, ${syscall} '${path}'`), { code, path, syscall });
}

function failedLink(path: string, dest: string): Error {
  return Object.assign(failed("EACCES", path, "symlink"), { dest });
}

const find = (error: unknown) => findMachineTrouble(error, HOME);

describe("machine trouble", () => {
  it.each(["ENOSPC", "EDQUOT"])("%s is a full disk", (code) => {
    expect(find(failed(code, "/anywhere"))).toBe("disk");
  });

  it.each(["EROFS", "EIO", "EMFILE", "ENFILE", "ENOMEM", "EAGAIN"])(
    "%s is the machine's, wherever it happens",
    (code) => {
      expect(find(failed(code, "/anywhere"))).toBe("machine");
    },
  );

  it.each(["EACCES", "EPERM", "ENOENT", "ENOTDIR"])(
    "%s is the machine's only in Nightshift's own directories",
    (code) => {
      for (const path of [
        "runs",
        "runs/run_1",
        "runs/run_1/prompt.md",
        "mirrors/shop.git/HEAD",
        "homes/task_1/implement",
      ])
        expect(find(failed(code, `${HOME}/${path}`)), path).toBe("machine");
      for (const path of ["workspaces", "workspaces/task_1", "workspaces/task_1/engine.git/index"])
        expect(find(failed(code, `${HOME}/${path}`)), path).toBe("machine");
      expect(find(failed(code, "/home/ada/shop/nightshift.yaml"))).toBeNull();
      expect(find(failed(code, `${HOME}-other/runs`))).toBeNull();
      expect(find(failed(code))).toBeNull();
    },
  );

  it("a file that an agent can remove is not the machine's trouble", () => {
    for (const path of ["workspaces/task_1/run_1", "homes/task_1/implement/.cache/x", "runs/run_1/tmp/x/y"])
      expect(find(failed("ENOENT", `${HOME}/${path}`)), path).toBeNull();
  });

  it("a symbolic link that cannot be created is judged by its place, not by its content", () => {
    expect(find(failedLink("4711", `${HOME}/mirrors/shop.git.lock`))).toBe("machine");
    expect(find(failedLink(`${HOME}/mirrors/shop.git`, "/home/ada/shop/x"))).toBeNull();
  });

  it("a file in place of a directory is the machine's trouble, any other existing file is not", () => {
    expect(find(failed("EEXIST", `${HOME}/mirrors`, "mkdir"))).toBe("machine");
    expect(find(failed("EEXIST", `${HOME}/runs/run_1/job.json`, "link"))).toBeNull();
  });

  it.each([
    ["error: unable to create file a: No space left on device", "disk"],
    ["The disk of /x/nightshift.db is full; nothing was written.", "disk"],
    ["git read-tree failed in /x: fatal: cannot create a: Read-only file system", "machine"],
    ["error: open: Input/output error\nfatal: it failed", "machine"],
    ["checkout failed for: Read-only file system.txt", null],
    [
      `error: insufficient permission for adding an object to repository database ${HOME}/mirrors/a.git/objects`,
      "machine",
    ],
    [`fatal: cannot open '${HOME}/workspaces/task_1/engine.git/index.lock': Permission denied`, "machine"],
    [`error: unable to unlink '${HOME}/workspaces/task_1/run_1/closed/a': Permission denied`, null],
    ["git@example.com: Permission denied (publickey).", null],
    ["the index is corrupt", null],
  ])("is recognized by the words of other programs: %s", (message, trouble) => {
    expect(find(new Error(message))).toBe(trouble);
    expect(find(new Error("it failed", { cause: new Error(message) }))).toBe(trouble);
  });

  it("a remote that is gone or does not answer is trouble, wrong credentials and refusals are not", () => {
    expect(find(new RemoteError("missing", "gone"))).toBe("remote");
    expect(find(new RemoteError("unreachable", "no route"))).toBe("remote");
    expect(find(new ForgeError("unreachable", "no route"))).toBe("remote");
    expect(find(new RemoteError("credentials", "no key"))).toBeNull();
    for (const trouble of ["credentials", "rate_limit", "missing", "refused"] as const)
      expect(find(new ForgeError(trouble, "no"))).toBeNull();
  });

  it("an error that an adapter marked is trouble, other errors of users are not", () => {
    expect(find(new MachineError("git could not be started"))).toBe("machine");
    expect(find(new UserError("unavailable", "The workspace no longer exists"))).toBeNull();
    expect(find("text")).toBeNull();
  });
});
