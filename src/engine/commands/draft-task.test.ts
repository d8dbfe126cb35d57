import { expect, it } from "vitest";
import { NIGHT_WORK } from "../../core/schedule/schedule.ts";
import { draftOf, nightDraft } from "./draft-task.ts";

it("a night that a person asks for is the scheduled one, but for what they ask", () => {
  const asked = nightDraft("shop", { category: "docs", only: true });
  expect(asked.improve).toEqual({ category: "docs", only: true, scheduledAt: null });
  expect({ ...asked, improve: null }).toEqual(draftOf("shop", NIGHT_WORK));
  expect(asked).toMatchObject({ pipeline: "improve", title: "Nightly improvement", autoApprove: false });
});
