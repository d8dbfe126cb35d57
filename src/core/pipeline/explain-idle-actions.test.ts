import { expect, it } from "vitest";
import { explainApply, explainRunRole } from "./explain-idle-actions.ts";

const FACTS = { isNight: false, hasChange: true, isPublished: false, isInPlace: false };

it("the files of a task can be applied once it has ended, if there are any and they are nowhere else", () => {
  expect(explainApply("succeeded", FACTS)).toBeNull();
  expect(explainApply("failed", FACTS)).toBeNull();
  expect(explainApply("running", FACTS)).toBe("it has not ended");
  expect(explainApply("succeeded", { ...FACTS, isPublished: true })).toBe("its change is published on a branch");
  expect(explainApply("succeeded", { ...FACTS, hasChange: false })).toBe("it left no files");
  expect(explainApply("succeeded", { ...FACTS, isInPlace: true })).toContain("files are there");
});

it("a role can run on a task that waits or has ended, but never on a nightly improvement", () => {
  expect(explainRunRole("waiting", FACTS)).toBeNull();
  expect(explainRunRole("cancelled", FACTS)).toBeNull();
  expect(explainRunRole("running", FACTS)).toBe("it is running");
  expect(explainRunRole("failed", { ...FACTS, isNight: true })).toContain("chooses its own work");
});
