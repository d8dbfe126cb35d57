import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { grantAccess, type Allowed, type AccessRequest, type PlanRequest } from "./grant.ts";
import { covers } from "./path-rules.ts";
import { ROLES, type Role } from "../../core/task/role.ts";

const VERDICTS: readonly Role[] = ["analyze", "verify", "describe", "plan", "plan_revision", "design", "review"];

const allowed: Allowed = {
  write: ["/srv/out", "/srv/cache"],
  read: ["/srv/in"],
  network: ["packages.example.com"],
  commands: ["git", "node", "sbt compile"],
};

describe("grantAccess by role", () => {
  test.each(["implement", "request_changes"] as const)("%s gets what the project allows", (role) => {
    expect(grantAccess(role, allowed)).toEqual({
      ...allowed,
      workspace: "write",
      inWorkspace: [],
      executes: true,
      commits: true,
    });
  });

  test("investigate works in a copy and may change nothing else", () => {
    expect(grantAccess("investigate", allowed)).toMatchObject({
      workspace: "write",
      executes: true,
      write: [],
      network: allowed.network,
    });
  });

  test("roles that read the history get git and no program that could run workspace code", () => {
    expect(grantAccess("review", allowed).commands).toEqual(["git"]);
    expect(grantAccess("verify", allowed).commands).toEqual([]);
    expect(grantAccess("review", { ...allowed, commands: null }).commands).toEqual(["git"]);
    expect(grantAccess("review", { ...allowed, commands: ["node"] }).commands).toEqual([]);
  });

  test("a list configured for the role counts within the project's list", () => {
    const asked: AccessRequest = { commands: ["node", "curl", "sbt"], plan: null };
    expect(grantAccess("implement", allowed, asked).commands).toEqual(["node", "sbt compile"]);
    expect(grantAccess("implement", { ...allowed, commands: null }, asked).commands).toEqual(asked.commands);
  });
});

describe("grantAccess by plan", () => {
  const plan = {
    root: "/home/ann/shop",
    directories: ["."],
    tools: ["Bash", "Edit"],
    commands: null,
    network: [],
    needsGit: true,
  };
  const execute = (changes: Partial<PlanRequest>) =>
    grantAccess("execute", allowed, { commands: null, plan: { ...plan, ...changes } });

  test("without a plan, nothing is writable", () => {
    expect(grantAccess("execute", allowed)).toMatchObject({
      workspace: "read",
      executes: false,
      write: [],
      network: [],
    });
    expect(execute({ directories: [] })).toMatchObject({ workspace: "read", inWorkspace: [], write: [] });
  });

  test("the root means the whole workspace, however it is written", () => {
    for (const root of [".", "./", "/home/ann/shop", "/home/ann/shop/"]) {
      expect(execute({ directories: [root] })).toMatchObject({ workspace: "write", inWorkspace: [] });
    }
  });

  test("a folder of the root means only that folder", () => {
    expect(execute({ directories: ["docs", "/home/ann/shop/a//b"] })).toMatchObject({
      workspace: "read",
      inWorkspace: ["docs", "a/b"],
      write: [],
    });
  });

  test("folders outside the root are granted, because the sandbox refuses what no run may have", () => {
    expect(execute({ directories: ["/srv/out/x", "../shop2", "docs/../../x"] })).toMatchObject({
      workspace: "read",
      inWorkspace: [],
      write: ["/srv/out/x", "/home/ann/shop/../shop2", "/home/ann/shop/docs/../../x"],
    });
  });

  test("hosts and commands of the plan count within what the project allows", () => {
    const wide = { ...allowed, network: ["*.example.com", "other.example:8443"] };
    const asked = {
      ...plan,
      network: ["a.example.com", "b.example.com:8443", "evil.example"],
      commands: ["node", "curl"],
    };
    const withoutGit = { ...asked, needsGit: false };
    expect(grantAccess("execute", wide, { commands: null, plan: withoutGit })).toMatchObject({
      network: ["a.example.com"],
      commands: ["node"],
    });
    expect(grantAccess("execute", wide, { commands: ["sbt"], plan: asked }).commands).toEqual([]);
  });

  test("execution needs a shell tool, and git only if the plan needs it", () => {
    expect(execute({ tools: ["Edit", "Bashful"] }).executes).toBe(false);
    expect(execute({ tools: ["Bash(npm test:*)"] }).executes).toBe(true);
    expect(execute({ needsGit: false })).toMatchObject({ commands: ["node", "sbt compile"], commits: false });
  });

  test("a plan that needs git gets it in addition to its commands, if the project allows it", () => {
    expect(execute({ commands: ["node"] })).toMatchObject({ commands: ["node", "git"], commits: true });
    const asked = { commands: null, plan: { ...plan, commands: ["node"] } };
    expect(grantAccess("execute", { ...allowed, commands: ["node"] }, asked).commands).toEqual(["node"]);
    expect(grantAccess("execute", { ...allowed, commands: null }, asked).commands).toEqual([
      "node",
      "git",
      "gh",
      "glab",
    ]);
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
const someAsked: fc.Arbitrary<AccessRequest> = fc.record({
  commands,
  plan: fc.option(
    fc.record({
      root: fc.constant("/srv/out"),
      directories: paths,
      tools: fc.subarray(["Bash", "Read", "Edit", "Bash(git log:*)"]),
      commands,
      network: fc.uniqueArray(fc.constantFrom("a.example", "*.b.example", "c.example"), { maxLength: 3 }),
      needsGit: fc.boolean(),
    }),
  ),
});
const someRole = fc.constantFrom(...ROLES);

test("grantAccess never grants more than the project allows", () => {
  fc.assert(
    fc.property(someRole, someAllowed, someAsked, (role, project, asked) => {
      const access = grantAccess(role, project, asked);
      expect(project.network).toEqual(expect.arrayContaining([...access.network]));
      expect(project.read).toEqual(expect.arrayContaining([...access.read]));
      if (role !== "execute")
        for (const each of access.write) expect(project.write.some((one) => covers(one, each))).toBe(true);
      if (project.commands !== null) expect(isWithinAll(access.commands, project.commands)).toBe(true);
    }),
  );
});

test("grantAccess never grants more than was requested", () => {
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

test("grantAccess: roles that give a verdict never run or write anything and have no network", () => {
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
