import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PortRange, Workspaces } from "../../../ports/workspace.ts";
import { createTempRepo, type TempRepo } from "../../temp-repo.ts";
import type { WorkspacesSetup } from "./workspace.suite.ts";

const project = "shop";
const [one, other] = ["task_0123456789", "task_abcdefghij"] as const;

const overlaps = (a: PortRange, b: PortRange): boolean => a.first < b.first + b.count && b.first < a.first + a.count;

/** Contract of `open` with reserved ports, part of workspace.suite.ts. */
export function testPorts(adapter: string, setup: WorkspacesSetup): void {
  describe(`workspaces (${adapter}): ports`, () => {
    let repo: TempRepo;
    let workspaces: Workspaces;
    let commit: string;

    beforeEach(async () => {
      repo = await createTempRepo({ "a.txt": "a\n" });
      workspaces = setup.create(join(repo.path, "home"));
      commit = (await workspaces.sync({ project, remote: repo.remote, defaultBranch: "main" })).commit;
    });
    afterEach(() => repo.remove());

    const reserve = async (task: string, name: string, ports: number): Promise<PortRange> => {
      const opened = await workspaces.open({ project, task, name, commit, branch: "agent/x", copy: null, ports });
      if (opened.ports === null) throw new Error(`${name} has no ports`);
      return opened.ports;
    };

    test("no two workspaces share a port, also if they are opened at once or have ranges of different sizes", async () => {
      const ranges = await Promise.all([
        reserve(one, "run_1", 10),
        reserve(one, "run_2", 3),
        reserve(other, "run_3", 10),
        reserve(other, "run_4", 500),
      ]);
      expect(ranges.map(({ count }) => count)).toEqual([10, 3, 10, 500]);
      for (const [at, range] of ranges.entries())
        expect(ranges.filter((each, position) => position !== at && overlaps(each, range))).toEqual([]);
    });

    test("a workspace keeps its ports after a restart, and others get different ones", async () => {
      const first = await reserve(one, "run_1", 10);
      workspaces = setup.create(join(repo.path, "home"));
      expect(overlaps(await reserve(other, "run_2", 10), first)).toBe(false);
      expect(await reserve(one, "run_1", 10)).toEqual(first);
    });

    test("the ports of a closed workspace are free again", async () => {
      const first = await reserve(one, "run_1", 10);
      const second = await reserve(one, "run_2", 10);
      await workspaces.close(one, "run_1");
      expect(await reserve(other, "run_3", 20)).not.toEqual(first);
      expect(await reserve(other, "run_4", 10)).toEqual(first);
      await workspaces.remove(one);
      expect(await reserve(other, "run_5", 10)).toEqual(second);
    });

    test("a workspace has none if none are requested", async () => {
      const params = { project, task: one, name: "run_1", commit, branch: "agent/x", copy: null } as const;
      expect((await workspaces.open({ ...params, ports: 0 })).ports).toBeNull();
      expect((await workspaces.open({ ...params, name: "run_2" })).ports).toBeNull();
    });

    test("is refused with the setting to change if no ports are left", async () => {
      for (let at = 0; at < 12; at += 1) await reserve(one, `run_${at}`, 1_000);
      await expect(reserve(other, "run_x", 1_000)).rejects.toMatchObject({
        kind: "invalid",
        message: expect.stringContaining("No 1000 free ports"),
        hint: expect.stringContaining("workspace.ports"),
      });
      expect(await workspaces.trees(other)).toEqual([]);
      expect(await reserve(other, "run_y", 10)).toMatchObject({ count: 10 });
    });
  });
}
