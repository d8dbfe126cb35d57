import { expect, test } from "vitest";
import { findRemedy, type Machine } from "./ensure-machine.ts";

const NEEDS = [
  { name: "git", package: "git" },
  { name: "bwrap", package: "bubblewrap" },
  { name: "unshare", package: "util-linux" },
  { name: "nsenter", package: "util-linux" },
];

function machine(present: readonly string[], rest: Partial<Machine>): Machine {
  return { has: (program) => present.includes(program), isDebian: true, isRoot: true, ...rest };
}

test("ensure-machine: does nothing if nothing is missing", () => {
  const all = NEEDS.map(({ name }) => name);
  expect(findRemedy(NEEDS, machine(all, {}))).toEqual({ kind: "nothing" });
});

test("ensure-machine: installs missing packages as root on Debian, each once", () => {
  expect(findRemedy(NEEDS, machine(["git"], {}))).toEqual({
    kind: "install",
    packages: ["bubblewrap", "util-linux"],
    isOptional: false,
  });
});

test("ensure-machine: prints the command for another user on Debian", () => {
  expect(findRemedy(NEEDS, machine(["git", "unshare", "nsenter"], { isRoot: false }))).toEqual({
    kind: "stop",
    message: "The tests need bwrap, which this machine does not have. Run: sudo apt-get install -y bubblewrap",
  });
});

test("ensure-machine: installs nothing on other systems, not even as root", () => {
  const remedy = findRemedy(NEEDS, machine(["bwrap", "unshare", "nsenter"], { isDebian: false }));
  expect(remedy).toEqual({
    kind: "stop",
    message: "The tests need git, which this machine does not have. Install it with the system's package manager",
  });
});

test("ensure-machine: optional packages are installed if possible, and are no error otherwise", () => {
  const needs = [...NEEDS, { name: "/usr/include/some.h", package: "some-dev", isOptional: true }];
  const all = NEEDS.map(({ name }) => name);
  expect(findRemedy(needs, machine(all, {}))).toEqual({ kind: "install", packages: ["some-dev"], isOptional: true });
  expect(findRemedy(needs, machine(all, { isRoot: false }))).toEqual({ kind: "nothing" });
  expect(findRemedy(needs, machine([], { isDebian: false }))).toMatchObject({
    message: expect.not.stringContaining("some.h"),
  });
});
