import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeTask } from "../../testing/builders.ts";
import { branchName, slugOf } from "./branch-name.ts";

describe("branchName()", () => {
  it("replaces every occurrence of slug and id", () => {
    const task = makeTask({ id: "task_abc", title: "Fix: the Login!" });
    expect(branchName("agent/{{slug}}-{{id}}", task)).toBe("agent/fix-the-login-abc");
    expect(branchName("{{id}}/{{id}}", task)).toBe("abc/abc");
  });

  it("does not treat the title as a template", () => {
    expect(branchName("{{slug}}", makeTask({ title: "{{id}} $& $1" }))).toBe("id-1");
  });
});

describe("slugOf()", () => {
  it.each([
    ["Größe & Café", "gro-e-cafe"],
    ["../../etc/passwd", "etc-passwd"],
    ["--upload-pack=x", "upload-pack-x"],
    ["日本語", "task"],
    ["", "task"],
    [`${"a".repeat(39)} b`, "a".repeat(39)],
  ])("%j becomes %j", (title, slug) => {
    expect(slugOf(title)).toBe(slug);
  });

  it("is short and safe in a ref and a shell for any title", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (title) => {
        expect(slugOf(title)).toMatch(/^(?!.{41})[a-z0-9]+(-[a-z0-9]+)*$/);
      }),
    );
  });
});
