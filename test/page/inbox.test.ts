import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TaskJson } from "../../src/http/client/client.ts";
import { DESKTOP, expectAccessible, expectQuiet, openBrowser, openView, PHONE } from "./support/browser.ts";
import { CHANGE, decisionProject, questions } from "./support/decision-scripts.ts";
import { expectNoOverflow, submitAndWait } from "./support/decisions.ts";
import { createPageUser, type PageUser } from "./support/page-user.ts";

let user: PageUser;
let browser: Browser;
let plan: TaskJson;
let merge: TaskJson;
let asked: TaskJson;
let choice: TaskJson;

beforeAll(async () => {
  const urgent = questions(new Date(Date.now() + 3_600_000).toISOString());
  const files = decisionProject({ urgent: [{ role: "implement", outcome: urgent }, ...CHANGE] });
  [user, browser] = await Promise.all([createPageUser({ files }), openBrowser()]);
  // One after the other, so that their order is known.
  plan = await submitAndWait(user, { pipeline: "feature", agent: "planner", description: "Export failed payments" });
  choice = await submitAndWait(user, { pipeline: "bug", agent: "investigator", description: "Coupon applied twice" });
  asked = await submitAndWait(user, { pipeline: "chore", agent: "urgent", description: "Round invoice totals" });
  merge = await submitAndWait(user, {
    pipeline: "feature",
    agent: "planner",
    auto_approve: true,
    description: "Remove the unused price formatter",
  });
}, 180_000);

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
});

for (const theme of ["light", "dark"] as const) {
  for (const size of [DESKTOP, PHONE]) {
    it(`the list is accessible and quiet in the ${theme} theme at ${size.width} px`, async () => {
      const view = await openView(browser, user, "/inbox", { theme, size });
      await view.page.getByRole("link", { name: /Round invoice totals/ }).waitFor();
      await view.page.getByText("Low risk").first().waitFor();
      await expectAccessible(view.page);
      await expectNoOverflow(view.page);
      expectQuiet(view);
      await view.close();
    });
  }
}

it("the nearest deadline comes first, then the oldest, and changes to merge last", async () => {
  const { page, close } = await openView(browser, user, "/inbox");
  await page.getByRole("link", { name: /Round invoice totals/ }).waitFor();
  const titles = await page.locator("a.item .t").allInnerTexts();
  expect(titles).toEqual([asked, plan, choice, merge].map(({ title }) => title));
  expect(await page.getByRole("link", { name: /Round invoice totals/ }).innerText()).toMatch(
    /2 questions\s+by \d\d:\d\d/,
  );
  // The first one is open without a click.
  await page.getByRole("heading", { name: asked.title }).waitFor();
  await close();
});

it("the keyboard alone moves through the list, opens a decision and goes back", async () => {
  const { page, close } = await openView(browser, user, `/inbox/${asked.id}`);
  await page.getByRole("heading", { level: 1, name: asked.title }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/inbox/${plan.id}`);
  await page.getByRole("heading", { level: 1, name: plan.title }).waitFor();
  await page.keyboard.press("u");
  await page.waitForURL(`**/inbox/${asked.id}`);
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toBe(asked.title);
  await close();
});

it("on a phone, the list leads to the decision as its own page and back", async () => {
  const { page, close } = await openView(browser, user, "/inbox", { size: PHONE });
  await page.getByRole("link", { name: /Coupon applied twice/ }).click();
  await page.waitForURL(`**/inbox/${choice.id}`);
  const bar = await page.getByRole("button", { name: /^Choose/ }).boundingBox();
  const tabs = await page.getByRole("navigation", { name: "Main, phone" }).boundingBox();
  expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(tabs?.y ?? 0);
  expect(await page.getByRole("heading", { level: 1 }).allInnerTexts()).toEqual([choice.title]);
  await page.getByRole("article").getByRole("link", { name: "Inbox" }).click();
  await page.getByRole("link", { name: /Export failed payments/ }).waitFor();
  await close();
});

it("a decision for the task of an unknown address is no decision, and says so", async () => {
  const { page, close } = await openView(browser, user, "/inbox/task_0000000000");
  await page.getByText("The task could not be read.").waitFor();
  expect(await page.getByRole("button", { name: /^(Approve|Send|Merge)/ }).count()).toBe(0);
  await close();
});

// The last test, because it decides everything.
it("after a decision the next one opens, until nothing waits, and the decided ones are listed with who and how", async () => {
  const view = await openView(browser, user, `/inbox/${asked.id}`);
  const { page } = view;
  await page.getByRole("button", { name: "Send answers" }).click();
  await page.waitForURL(`**/inbox/${plan.id}`);
  await page.getByRole("button", { name: /^Approve/ }).waitFor();
  await page.getByRole("button", { name: "Reject…" }).click();
  await page.getByRole("button", { name: "Reject the plan" }).click();
  await page.waitForURL(`**/inbox/${choice.id}`);
  await page.getByRole("button", { name: "Cancel the task…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel the task" }).click();
  await page.waitForURL(`**/inbox/${merge.id}`);
  await user.run("reject", merge.id, "Not needed.");
  await page.getByRole("alert").getByText("rejected this").waitFor();
  await page.goto(`${user.url}/inbox`);
  await page.getByRole("heading", { name: "Nothing waits for you" }).waitFor();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Decided" }).click();
  await page.getByText("Not needed.").waitFor();
  const rows = await page.getByRole("main").getByRole("listitem").allInnerTexts();
  expect(rows[0]).toMatch(/rejected this on the command line/);
  expect(rows.join("\n")).toMatch(/cancelled the task/);
  expect(rows.join("\n")).toMatch(/answered this/);
  await page.getByText("These are all decisions.").waitFor();
  await expectAccessible(page);
  // Pages of two, because there are only a few decisions.
  await page.route("**/api/v1/decisions?**", async (route) => {
    const url = new URL(route.request().url());
    if (url.searchParams.get("limit") !== "1") url.searchParams.set("limit", "2");
    await route.continue({ url: url.href });
  });
  await page.reload();
  const items = page.getByRole("main").getByRole("listitem");
  const more = page.getByRole("button", { name: "Load more" });
  await more.click();
  await expect.poll(() => items.count()).toBe(Math.min(4, rows.length));
  if (rows.length > 4) await more.click();
  await page.getByText("These are all decisions.").waitFor();
  expect(await items.allInnerTexts()).toEqual(rows);
  expectQuiet(view);
  await view.close();
});
