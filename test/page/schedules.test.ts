import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DESKTOP, expectAccessible, expectQuiet, openBrowser, openView, PHONE } from "./support/browser.ts";
import { createPageUser, type PageUser } from "./support/page-user.ts";

let user: PageUser;
let browser: Browser;

const SETTINGS = `time_zone: Europe/Paris
improve: { schedule: "0 2 * * *" }
schedules:
  - { name: weekly-audit, cron: "0 3 * * 0", pipeline: chore, title: Audit the licences, description: Look at them. }
`;

beforeAll(async () => {
  [user, browser] = await Promise.all([createPageUser({ settings: SETTINGS }), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
});

for (const theme of ["light", "dark"] as const) {
  for (const size of [DESKTOP, PHONE]) {
    it(`schedules are accessible and fit in the ${theme} theme at ${size.width} px`, async () => {
      const view = await openView(browser, user, "/schedules", { theme, size });
      await view.page.getByText("every day at 02:00").waitFor();
      await view.page.getByRole("region", { name: "The coming nights" }).waitFor();
      await expectAccessible(view.page);
      expect(await view.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      expectQuiet(view);
      await view.close();
    });
  }
}

it("each schedule says when it runs, and a longer range has more nights", async () => {
  const view = await openView(browser, user, "/schedules");
  const { page } = view;
  const rows = page.getByRole("region", { name: "Schedules" }).getByRole("row");
  await rows.filter({ hasText: "weekly-audit" }).getByText("Sundays at 03:00").waitFor();
  await rows.filter({ hasText: "improve" }).getByText("0 2 * * * Europe/Paris").waitFor();
  const nights = page.getByRole("region", { name: "The coming nights" }).getByRole("row");
  const week = await nights.count();
  await page.getByRole("button", { name: "30 days" }).click();
  await expect.poll(() => nights.count()).toBeGreaterThan(week);
  expect(new URL(page.url()).searchParams.get("days")).toBe("30");
  expectQuiet(view);
  await view.close();
});

it("the nightly improvement can be previewed before it runs", async () => {
  const { page, close } = await openView(browser, user, "/schedules");
  await page
    .getByRole("row", { name: /^improve/ })
    .getByRole("button", { name: "Run now…" })
    .click();
  const dialog = page.getByRole("dialog", { name: "Run improve of shop now?" });
  await dialog.getByText("at most 100 lines").waitFor();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  expect(await dialog.count()).toBe(0);
  expect((await user.client.call("GET /tasks")).tasks).toEqual([]);
  await close();
});

it("running a schedule starts its task, shows it, and is what happened last", async () => {
  const { page, close } = await openView(browser, user, "/schedules");
  await page
    .getByRole("row", { name: /^weekly-audit/ })
    .getByRole("button", { name: "Run now…" })
    .click();
  const dialog = page.getByRole("dialog", { name: "Run weekly-audit of shop now?" });
  await dialog.getByText("Starts the task “Audit the licences” with the pipeline chore.").waitFor();
  await dialog.getByRole("button", { name: "Run now" }).click();
  await page.getByRole("heading", { name: "Audit the licences", level: 1 }).waitFor();
  const [task] = (await user.client.call("GET /tasks")).tasks;
  expect(task?.title).toBe("Audit the licences");
  await page.goto(`${user.url}/schedules`);
  const last = page.getByRole("row", { name: /^weekly-audit/ }).locator(`a[href="/tasks/${task?.id}"]`);
  await last.waitFor();
  await close();
});
