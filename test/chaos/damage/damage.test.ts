import { expect, test } from "vitest";
import { DAMAGE_NAMES, runDamageRound } from "./damage-round.ts";

/** Tested in src/adapters/git/mirror/damage.test.ts, and in `npm run chaos`. */
const isGitDirectory = (kind: string): boolean => /^mirrors\/|\/engine\.git\/(?!trees\/)/.test(kind);

/** A short version of the rounds in `npm run chaos`. */
test.skipIf(process.platform !== "linux").concurrent.each([
  { point: "supervisor.ended", first: 0 },
  { point: "checks.ended", first: 1 },
] as const)(
  "damaged files: a task that was interrupted at $point succeeds with any file of the home damaged",
  { timeout: 600_000 },
  async ({ point, first }) => {
    const { violations } = await runDamageRound({
      crash: { point, pass: 1 },
      choose: (index) => DAMAGE_NAMES[(first + index) % DAMAGE_NAMES.length] ?? "empty",
      includes: (kind) => !isGitDirectory(kind),
    });
    expect(violations).toEqual([]);
  },
);
