import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  DESKTOP,
  expectAccessible,
  expectNoOverflow,
  expectQuiet,
  openBrowser,
  openView,
  PHONE,
} from "./support/browser.ts";
import { fillTasks } from "./support/fill-tasks.ts";
import { createPageUser, type PageUser } from "./support/page-user.ts";

const EVIL = "<b onmouseover=alert(1)>Coupon";
let user: PageUser;
let browser: Browser;

async function prepare(home: string): Promise<void> {
  await fillTasks(home, [
    {
      id: "task_k1v9000001",
      title: "Retry the webhooks",
      status: "failed",
      state: "failed",
      branch: "agent/hooks-7",
    },
    { id: "task_zzz9000001", title: "Read the settings once", status: "succeeded", state: "done" },
    { id: "task_evil000001", title: EVIL, status: "succeeded", state: "done" },
    { id: "task_paus000001", title: "Move the images", status: "paused", state: "implementing" },
  ]);
}

beforeAll(async () => {
  [user, browser] = await Promise.all([createPageUser({ prepare }), openBrowser()]);
}, 180_000);

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
});

const options = (page: Page) => page.getByRole("option");
const active = (page: Page) => page.locator('[role="option"][aria-selected="true"]');

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or do something" }).waitFor();
}

for (const theme of ["light", "dark"] as const) {
  for (const size of [DESKTOP, PHONE]) {
    it(`palette and keys are accessible in the ${theme} theme at ${size.width} px`, async () => {
      const view = await openView(browser, user, "/settings", { theme, size });
      await view.page.getByRole("heading", { level: 1 }).first().waitFor();
      await openPalette(view.page);
      await view.page.getByRole("option", { name: /Retry the webhooks/ }).waitFor();
      await expectAccessible(view.page);
      await expectNoOverflow(view.page);
      await view.page.keyboard.press("Escape");
      await view.page.getByRole("combobox").waitFor({ state: "detached" });
      await view.page.keyboard.press("?");
      await view.page.getByRole("dialog", { name: "Keys" }).waitFor();
      expect(await view.page.getByRole("heading", { level: 3 }).allInnerTexts()).toContain("Go to");
      await expectAccessible(view.page);
      expectQuiet(view);
      await view.close();
    });
  }
}

it("tasks are found by title, by the beginning of the id and by branch, and Enter opens one", async () => {
  const { page, close } = await openView(browser, user, "/settings");
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await openPalette(page);
  for (const text of ["webhooks", "k1v9", "hooks-7"]) {
    await page.getByRole("combobox").fill(text);
    await expect.poll(async () => await active(page).innerText()).toContain("Retry the webhooks");
  }
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/tasks\/task_k1v9000001$/);
  await close();
});

it("a place whose name starts with the text comes before a task that only contains it", async () => {
  const { page, close } = await openView(browser, user, "/tasks");
  await page.getByRole("link", { name: "Move the images" }).waitFor();
  await openPalette(page);
  await page.getByRole("combobox").fill("settings");
  await page.getByRole("option", { name: /Read the settings once/ }).waitFor();
  expect(await active(page).innerText()).toMatch(/^Settings/);
  await page.keyboard.press("ArrowDown");
  expect(await active(page).innerText()).toContain("Read the settings once");
  expect(await page.getByRole("combobox").getAttribute("aria-activedescendant")).toBe(
    await active(page).getAttribute("id"),
  );
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/settings");
  await close();
});

it("actions on the selected task come first, and what is not possible comes last with its reason", async () => {
  const { page, close } = await openView(browser, user, "/tasks?status=paused");
  await page.getByRole("link", { name: "Move the images" }).waitFor();
  await page.keyboard.press("j");
  await page.locator('[data-task="task_paus000001"].sel').waitFor();
  await openPalette(page);
  await page.getByText("On the selected task, Move the images").waitFor();
  expect(await active(page).innerText()).toContain("Resume");
  await page.getByRole("combobox").fill("retry");
  await page.getByRole("option", { name: /Retry the webhooks/ }).waitFor();
  const refused = options(page).last();
  expect(await refused.innerText()).toContain("Retry: not possible: it is paused.");
  expect(await refused.getAttribute("aria-disabled")).toBe("true");
  await page.getByRole("combobox").fill("cancel");
  await expect.poll(async () => await active(page).innerText()).toContain("Cancel…");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Cancel “Move the images”?" }).waitFor();
  await page.getByRole("button", { name: "Cancel the task" }).click();
  await page.getByText("Cancelled “Move the images”.").waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  const { status } = await user.client.call("GET /tasks/:id", { params: { id: "task_paus000001" } });
  expect(status).toBe("cancelled");
  await close();
});

it("Tab shows the actions of a found task, and Backspace goes back", async () => {
  const { page, close } = await openView(browser, user, "/settings");
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await openPalette(page);
  await page.getByRole("combobox").fill("webhooks");
  await expect.poll(async () => await active(page).innerText()).toContain("Retry the webhooks");
  await page.keyboard.press("Tab");
  await page.getByText("On the task, Retry the webhooks").waitFor();
  expect(await active(page).innerText()).toMatch(/^Retry/);
  await page.keyboard.press("Backspace");
  await page.getByText("Newest tasks").waitFor();
  await close();
});

it("there are at most eight results, text that matches nothing says so, and titles are inert", async () => {
  const view = await openView(browser, user, "/settings");
  const { page } = view;
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await openPalette(page);
  await page.getByRole("combobox").fill("e");
  await page.getByRole("option", { name: /Retry the webhooks/ }).waitFor();
  expect(await options(page).count()).toBeLessThanOrEqual(8);
  await page.getByRole("combobox").fill("coupon");
  await page.getByRole("option", { name: EVIL }).waitFor();
  expect(await page.locator("dialog b").count()).toBe(0);
  await page.getByRole("combobox").fill("nothing like this");
  await page.getByText("Nothing matches.").waitFor();
  expectQuiet(view);
  await view.close();
});

it("keys of the view behind the palette do nothing", async () => {
  const { page, close } = await openView(browser, user, "/tasks");
  await page.getByRole("link", { name: "Read the settings once" }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.getByText("1 selected").waitFor();
  await openPalette(page);
  await page.keyboard.press("Escape");
  await page.getByRole("combobox").waitFor({ state: "detached" });
  expect(await page.getByText("1 selected").count()).toBe(1);
  await close();
});
