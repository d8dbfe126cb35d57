import { describe, expect, test } from "vitest";
import type { Finding } from "../../../daemon/doctor/doctor.ts";
import { NIGHT_NEEDS } from "../../../daemon/doctor/doctor.ts";
import { render } from "./doctor.ts";

const met = NIGHT_NEEDS.map((need): Finding => ({
  name: need,
  ok: "yes",
  detail: "works",
  fix: null,
  night: { need, met: true },
}));
const without = (...needs: readonly string[]): readonly Finding[] => met.filter(({ name }) => !needs.includes(name));
const show = (findings: readonly Finding[]): string => render({ color: false }, findings);

describe("doctor: ready for the night", () => {
  test("only if everything that a night needs is there", () => {
    expect(show(met)).toMatch(/\nReady for the night\.\n$/);
    for (const need of NIGHT_NEEDS.filter((each) => !["files", "project", "settings"].includes(each)))
      expect(show(without(need))).toMatch(new RegExp(`\nNot ready for the night:\n  ${need}: .+\n    → .+\n$`));
  });

  test("never while a problem has to be fixed", () => {
    const broken: Finding = { name: "database", ok: "no", detail: "damaged", fix: null };
    expect(show([...met, broken])).toMatch(/\n1 problem to fix\.\n$/);
  });

  test("one line with its repair for each missing thing, in the words of its finding", () => {
    const trust: Finding = {
      name: "trust",
      ok: "warn",
      detail: "not accepted yet: checks",
      fix: "nightshift trust",
      night: { need: "trust", met: false },
    };
    expect(show([...without("trust", "schedule"), trust])).toContain(
      "Not ready for the night:\n  trust: not accepted yet: checks\n    → nightshift trust\n  schedule: none\n    → set improve.schedule",
    );
  });

  test("a project that is not registered needs nothing else first", () => {
    const project: Finding = {
      name: "project",
      ok: "warn",
      detail: "/repo is not registered",
      fix: "nightshift init",
      night: { need: "project", met: false },
    };
    expect(show([project])).toMatch(
      /Not ready for the night:\n {2}project: \/repo is not registered\n {4}→ nightshift init\n$/,
    );
  });

  test("invalid settings are the only thing to repair first, and needs that depend on them are not reported as missing", () => {
    const settings: Finding = {
      name: "nightshift.yaml",
      ok: "no",
      detail: "nightshift.yaml:2:9: checks: found a list",
      fix: "correct these lines",
      night: { need: "settings", met: false },
    };
    expect(show([...without("settings", "agent", "trust", "checks", "schedule"), settings])).toMatch(
      /Not ready for the night:\n {2}settings: nightshift\.yaml:2:9: .+\n {4}→ correct these lines\n$/,
    );
  });

  test("is not mentioned outside of a repository", () => {
    expect(show([{ name: "git", ok: "yes", detail: "2.43", fix: null }])).toContain("No problems found.");
  });
});
