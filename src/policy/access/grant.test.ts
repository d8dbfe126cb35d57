import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { grantAccess, type Allowed, type Asked } from "./grant.ts";
import { covers } from "./path-rules.ts";
import { ROLES, type Role } from "../../core/task/role.ts";

const VERDICTS: readonly Role[] = ["analyze", "verify", "describe", "plan", "plan_revision", "design", "review"];

const allowed: Allowed = {
  write: ["/srv/out", "/srv/cache"],
  read: ["/srv/in"],
  network: ["packages.example.com"],
  commands: ["git", "node", "sbt compile"],
};

describe("by role", () => {
  test.each(["implement", "request_changes"] as const)("%s gets what the project allows", (role) => {
    expect(grantAccess(role, allowed)).toEqual({
      ...allowed,
      workspace: "write",
      inWorkspace: [],
      executes: true,
      refused: [],
    });
  });

  test("investigate works in a copy and changes nothing else", () => {
    expect(grantAccess("investigate", allowed)).toMatchObject({
      workspace: "write",
      executes: true,
      write: [],
      network: allowed.network,
    });
  });

  test("the history is read by git and by nothing that could run the workspace's code", () => {
    expect(grantAccess("review", allowed).commands).toEqual(["git"]);
    expect(grantAccess("verify", allowed).commands).toEqual([]);
    expect(grantAccess("review", { ...allowed, commands: null }).commands).toEqual(["git"]);
    expect(grantAccess("review", { ...allowed, commands: ["node"] }).commands).toEqual([]);
  });

  test("a list that a person wrote for the role counts within the project's", () => {
    const asked: Asked = { commands: ["node", "curl", "sbt"], plan: null };
    expect(grantAccess("implement", allowed, asked).commands).toEqual(["node", "sbt compile"]);
    expect(grantAccess("implement", { ...allowed, commands: null }, asked).commands).toEqual(asked.commands);
  });
});

describe("by plan", () => {
  const plan = { root: "/home/ann/shop", directories: ["."], tools: ["Bash", "Edit"], needsGit: true };
  const execute = (changes: Partial<typeof plan>) =>
    grantAccess("execute", allowed, { commands: null, plan: { ...plan, ...changes } });

  test("no plan, nothing to write", () => {
    expect(grantAccess("execute", allowed)).toMatchObject({
      workspace: "read",
      executes: false,
      write: [],
      network: [],
    });
    expect(execute({ directories: [] })).toMatchObject({ workspace: "read", inWorkspace: [], write: [] });
  });

  test("the root is the whole workspace, by whichever name", () => {
    for (const root of [".", "./", "/home/ann/shop", "/home/ann/shop/"]) {
      expect(execute({ directories: [root] })).toMatchObject({ workspace: "write", inWorkspace: [] });
    }
  });

  test("a folder of it is that folder and no more", () => {
    expect(execute({ directories: ["docs", "/home/ann/shop/a//b"] })).toMatchObject({
      workspace: "read",
      inWorkspace: ["docs", "a/b"],
      write: [],
    });
  });

  test("outside of it only what the project allows, and the rest is told", () => {
    expect(execute({ directories: ["/srv/out/x", "/srv/other", "../shop2", "docs/../../x"] })).toMatchObject({
      workspace: "read",
      inWorkspace: [],
      write: ["/srv/out/x"],
      refused: ["/srv/other", "/home/ann/shop/../shop2", "/home/ann/shop/docs/../../x"],
    });
  });

  test("runs only with a shell among its tools, and git only where it is needed", () => {
    expect(execute({ tools: ["Edit", "Bashful"] }).executes).toBe(false);
    expect(execute({ tools: ["Bash(npm test:*)"] }).executes).toBe(true);
    expect(execute({ needsGit: false }).commands).toEqual(["node", "sbt compile"]);
  });
});

const path = fc
  .array(fc.constantFrom("srv", "out", "in", "x", ".."), { minLength: 1, maxLength: 4 })
  .map((parts) => `/${parts.join("/")}`);
const paths = fc.uniqueArray(path, { maxLength: 4 });
const command = fc.constantFrom("git", "node", "sbt", "sbt compile", "sbt compile x", "sbtx", "gh", "curl");
const commands = fc.option(fc.uniqueArray(command, { maxLength: 5 }));
const someAllowed: fc.Arbitrary<Allowed> = fc.record({
  write: paths,
  read: paths,
  network: fc.uniqueArray(fc.constantFrom("a.example", "*.b.example"), { maxLength: 2 }),
  commands,
});
const someAsked: fc.Arbitrary<Asked> = fc.record({
  commands,
  plan: fc.option(
    fc.record({
      root: fc.constant("/srv/out"),
      directories: paths,
      tools: fc.subarray(["Bash", "Read", "Edit", "Bash(git log:*)"]),
      needsGit: fc.boolean(),
    }),
  ),
});
const someRole = fc.constantFrom(...ROLES);

test("granted is never more than allowed", () => {
  fc.assert(
    fc.property(someRole, someAllowed, someAsked, (role, project, asked) => {
      const access = grantAccess(role, project, asked);
      expect(project.network).toEqual(expect.arrayContaining([...access.network]));
      expect(project.read).toEqual(expect.arrayContaining([...access.read]));
      for (const each of access.write) expect(project.write.some((one) => covers(one, each))).toBe(true);
      if (project.commands !== null) expect(isWithinAll(access.commands, project.commands)).toBe(true);
    }),
  );
});

test("granted is never more than asked", () => {
  fc.assert(
    fc.property(someRole, someAllowed, someAsked, (role, project, asked) => {
      const access = grantAccess(role, project, asked);
      if (asked.commands !== null) expect(isWithinAll(access.commands, asked.commands)).toBe(true);
      if (role !== "execute") return;
      const directories = asked.plan?.directories ?? [];
      const written = [
        ...access.write,
        ...access.inWorkspace.map((each) => `/srv/out/${each}`),
        ...(access.workspace === "write" ? ["/srv/out"] : []),
      ];
      for (const each of written) expect(directories).toContain(each);
    }),
  );
});

test("who gives a verdict never runs or writes anything, and reaches nobody", () => {
  fc.assert(
    fc.property(fc.constantFrom(...VERDICTS), someAllowed, someAsked, (role, project, asked) => {
      expect(grantAccess(role, project, asked)).toMatchObject({
        workspace: "read",
        inWorkspace: [],
        executes: false,
        network: [],
        write: [],
      });
    }),
  );
});

function isWithinAll(narrow: readonly string[] | null, wide: readonly string[]): boolean {
  return narrow !== null && narrow.every((one) => wide.some((other) => one === other || one.startsWith(`${other} `)));
}
