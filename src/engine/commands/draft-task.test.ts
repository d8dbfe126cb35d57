import { expect, it } from "vitest";
import { NIGHT_WORK } from "../../core/schedule/schedule.ts";
import { draftScheduledTask, draftNightlyTask } from "./draft-task.ts";

it("a requested night differs from the scheduled one only in the requested options", () => {
  const draft = draftNightlyTask("shop", { category: "docs", only: true });
  expect(draft.improve).toEqual({ category: "docs", only: true, scheduledAt: null });
  expect({ ...draft, improve: null }).toEqual(draftScheduledTask("shop", NIGHT_WORK));
  expect(draft).toMatchObject({ pipeline: "improve", title: "Nightly improvement", autoApprove: false });
});
