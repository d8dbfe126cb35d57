import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DESKTOP, expectAccessible, expectQuiet, openBrowser, openView, PHONE } from "./support/browser.ts";
import { createPageUser, type PageUser } from "./support/page-user.ts";

let user: PageUser;
let browser: Browser;

beforeAll(async () => {
  [user, browser] = await Promise.all([createPageUser(), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
});

for (const theme of ["light", "dark"] as const) {
  for (const size of [DESKTOP, PHONE]) {
    it(`the frame of the page is accessible and quiet in the ${theme} theme at ${size.width} px`, async () => {
      const view = await openView(browser, user, "/settings", { theme, size });
      await view.page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
      await expectAccessible(view.page);
      expectQuiet(view);
      await view.close();
    });
  }
}

it("two keys in a row go to another place, but not while typing", async () => {
  const { page, close } = await openView(browser, user, "/settings");
  await page.getByRole("heading", { name: "Settings", level: 1 }).waitFor();
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.waitForURL("**/tasks");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  expect(await page.getByRole("dialog").count()).toBe(0);
  await close();
});

it("an unknown address says so and leads back", async () => {
  const view = await openView(browser, user, "/nowhere/at-all");
  await view.page.getByRole("heading", { name: "There is no page at this address" }).waitFor();
  await view.page.getByRole("link", { name: "all tasks" }).click();
  await view.page.waitForURL("**/tasks");
  expectQuiet(view);
  await view.close();
});

it("a page that nobody signed in to says how to sign in", async () => {
  const { page, close } = await openView(browser, user, "/", { isSignedIn: false });
  await page.getByText("You are signed out.").waitFor();
  expect(await page.getByText("nightshift open").count()).toBe(1);
  await close();
});

// The last test, because it stops the daemon.
it("all tabs of a browser share one event stream, and each notices that the daemon stopped", async () => {
  const first = await openView(browser, user, "/");
  const second = await first.page.context().newPage();
  await second.goto(`${user.url}/tasks`);
  await second.getByRole("heading", { name: "Tasks", level: 1 }).waitFor();
  await user.run("stop");
  for (const page of [first.page, second]) await page.getByText("Nightshift does not answer since").waitFor();
  expect(await second.getByRole("button", { name: "Try now" }).isVisible()).toBe(true);
  await first.close();
});
