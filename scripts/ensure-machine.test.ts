import { expect, test } from "vitest";
import { findRemedy, type Machine } from "./ensure-machine.ts";

const PROGRAMS = [
  { name: "git", package: "git" },
  { name: "bwrap", package: "bubblewrap" },
  { name: "unshare", package: "util-linux" },
  { name: "nsenter", package: "util-linux" },
];

function machine(present: readonly string[], rest: Partial<Machine>): Machine {
  return { has: (program) => present.includes(program), isDebian: true, isRoot: true, ...rest };
}

test("a machine that has everything is left alone", () => {
  const all = PROGRAMS.map(({ name }) => name);
  expect(findRemedy(PROGRAMS, machine(all, {}))).toEqual({ kind: "nothing" });
});

test("root on Debian gets the missing packages, each once", () => {
  expect(findRemedy(PROGRAMS, machine(["git"], {}))).toEqual({
    kind: "install",
    packages: ["bubblewrap", "util-linux"],
  });
});

test("another user on Debian gets the one command to run", () => {
  expect(findRemedy(PROGRAMS, machine(["git", "unshare", "nsenter"], { isRoot: false }))).toEqual({
    kind: "stop",
    message: "The tests need bwrap, which this machine does not have. Run: sudo apt-get install -y bubblewrap",
  });
});

test("on another system nothing is installed, not even by root", () => {
  const remedy = findRemedy(PROGRAMS, machine(["bwrap", "unshare", "nsenter"], { isDebian: false }));
  expect(remedy).toEqual({
    kind: "stop",
    message: "The tests need git, which this machine does not have. Install it with the system's package manager",
  });
});
