import type { Browser } from "playwright-core";
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
import { fillTasks, manyTasks } from "./support/fill-tasks.ts";
import { createPageUser, type PageUser } from "./support/page-user.ts";

const MANY = 1500;
const HOUR = 3_600_000;
const EVIL = '<img src=x onerror="alert(1)">‮evil';
let user: PageUser;
let browser: Browser;

beforeAll(async () => {
  const now = Date.now();
  const prepare = async (home: string): Promise<void> => {
    await fillTasks(home, [
      ...manyTasks(MANY, now - 12 * HOUR),
      {
        id: "task_pin0000001",
        title: "Pin the base image",
        status: "failed",
        state: "failed",
        reason: "set-up failed",
      },
      {
        id: "task_srch000001",
        title: "Search by accent",
        status: "failed",
        state: "failed",
        pipeline: "bug",
        tags: ["search"],
      },
      { id: "task_paus000001", title: "Move the images", status: "paused", state: "implementing", pipeline: "feature" },
      {
        id: "task_evil000001",
        title: EVIL,
        status: "cancelled",
        state: "cancelled",
        tags: [EVIL.slice(0, 40), "x".repeat(40)],
        createdAt: now,
      },
      {
        id: "task_plan000001",
        title: "Export the payments",
        status: "waiting",
        state: "plan_review",
        pipeline: "feature",
        waitingFor: { kind: "approval", since: now, planHash: "abc", document: { kind: "plan", version: 1 } },
      },
    ]);
  };
  [user, browser] = await Promise.all([createPageUser({ prepare }), openBrowser()]);
}, 180_000);

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
});

for (const theme of ["light", "dark"] as const) {
  for (const size of [DESKTOP, PHONE]) {
    for (const path of ["/tasks", "/tasks?view=columns"]) {
      it(`${path} is accessible and quiet in the ${theme} theme at ${size.width} px`, async () => {
        const view = await openView(browser, user, path, { theme, size });
        await view.page.getByRole("link", { name: "Pin the base image" }).waitFor();
        await view.page.getByRole("link", { name: "Export the payments" }).waitFor();
        await expectAccessible(view.page);
        await expectNoOverflow(view.page);
        expectQuiet(view);
        await view.close();
      });
    }
  }
}

it("groups say how many tasks there are, and of thousands only those on the screen are in the document", async () => {
  const { page, close } = await openView(browser, user, "/tasks");
  await page.getByRole("button", { name: /^Succeeded/ }).waitFor();
  expect(await page.getByRole("button", { name: /^Succeeded/ }).innerText()).toMatch(/1,350/);
  expect(await page.getByRole("heading", { level: 2 }).allInnerTexts()).toEqual(
    expect.arrayContaining([expect.stringMatching(/^Waiting for you\s+1$/), expect.stringMatching(/^Failed\s+2$/)]),
  );
  expect(await page.getByRole("row").count()).toBeLessThan(80);
  // The next pages are loaded while the person scrolls.
  const last = page.getByRole("link", { name: "Old task 1", exact: true });
  await expect
    .poll(
      async () => {
        await page.mouse.wheel(0, 20_000);
        return await last.count();
      },
      { timeout: 40_000 },
    )
    .toBe(1);
  expect(await page.getByRole("row").count()).toBeLessThan(80);
  await close();
});

it("filters are in the address, are shown as words and can be removed", async () => {
  const { page, close } = await openView(browser, user, "/tasks?status=failed&tag=search");
  await page.getByRole("link", { name: "Search by accent" }).waitFor();
  expect(await page.getByRole("link", { name: "Pin the base image" }).count()).toBe(0);
  await page.getByRole("link", { name: "Remove the filter Tag" }).click();
  await page.getByRole("link", { name: "Pin the base image" }).waitFor();
  expect(new URL(page.url()).search).toBe("?status=failed");
  await page.keyboard.press("f");
  await page.getByRole("dialog", { name: "Filter the tasks" }).waitFor();
  await page.keyboard.type("accent");
  await page.waitForURL(/text=accent/);
  await page.getByRole("link", { name: "Pin the base image" }).waitFor({ state: "detached" });
  await page.getByLabel("Pipeline", { exact: true }).selectOption("bug");
  await page.waitForURL(/pipeline=bug/);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Filter the tasks" }).waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("link", { name: "Search by accent" }).waitFor();
  await close();
});

it("a filter that matches nothing says so and can be cleared", async () => {
  const { page, close } = await openView(browser, user, "/tasks?text=nothing-like-this");
  await page.getByRole("heading", { name: "No task matches" }).waitFor();
  await page.getByRole("link", { name: "clear all filters" }).click();
  await page.getByRole("link", { name: "Pin the base image" }).waitFor();
  expect(new URL(page.url()).search).toBe("");
  await close();
});

it("titles and tags of strangers are inert text", async () => {
  const view = await openView(browser, user, "/tasks?status=cancelled");
  await view.page.getByRole("link", { name: EVIL }).waitFor();
  expect(await view.page.locator("#main img").count()).toBe(0);
  expect(await view.page.getByRole("link", { name: EVIL }).getAttribute("dir")).toBe("auto");
  await view.page.setViewportSize(PHONE);
  await expectNoOverflow(view.page);
  expectQuiet(view);
  await view.close();
});

it("with the keyboard alone, a person selects tasks, sees what is possible and opens one", async () => {
  const { page, close } = await openView(browser, user, "/tasks?status=failed");
  await page.getByRole("link", { name: "Pin the base image" }).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  const bar = page.getByRole("toolbar", { name: "Actions on the selected tasks" });
  await bar.getByText("2 selected").waitFor();
  expect(await bar.getByRole("button", { name: "Pause" }).getAttribute("aria-disabled")).toBe("true");
  expect(await bar.getByRole("button", { name: "Retry" }).getAttribute("aria-disabled")).toBeNull();
  await page.keyboard.press("Escape");
  await bar.waitFor({ state: "detached" });
  await page.keyboard.press("k");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/tasks\/task_/);
  await close();
});

it("the menu of a row names what is possible and why the rest is not", async () => {
  const { page, close } = await openView(browser, user, "/tasks");
  const row = page.getByRole("row").filter({ hasText: "Move the images" });
  await row.getByRole("link").waitFor();
  await row.getByRole("link").focus();
  await row.getByRole("button", { name: "Actions on Move the images" }).press("Enter");
  const menu = page.getByRole("menu");
  await menu.waitFor();
  await expectAccessible(page);
  expect(await menu.getByRole("menuitem", { name: "Resume" }).getAttribute("aria-disabled")).toBeNull();
  expect(await menu.getByRole("menuitem", { name: "Retry" }).innerText()).toContain("Not possible: it is paused.");
  await menu.getByRole("menuitem", { name: "Cancel…" }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel “Move the images”?" });
  await dialog.getByRole("button", { name: "Cancel the task" }).click();
  await page.getByText("Cancelled “Move the images”.").waitFor();
  await expect
    .poll(async () => (await user.client.call("GET /tasks/:id", { params: { id: "task_paus" } })).status)
    .toBe("cancelled");
  // The page follows by itself. It was the only paused task, and the cancelled ones are far below.
  await page.getByRole("heading", { name: /^Paused/ }).waitFor({ state: "detached" });
  await close();
});

it("the menu of a card has the same moves as dragging", async () => {
  const { page, close } = await openView(browser, user, "/tasks?view=columns&pipeline=chore");
  const card = page.locator('[data-task="task_pin0000001"]');
  await card.waitFor();
  await card.getByRole("button", { name: /Moves and actions/ }).click();
  expect(await page.getByRole("menuitem", { name: "Retry from implementing" }).count()).toBe(1);
  expect(await page.getByRole("menuitem", { name: "Retry from checking" }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await close();
});

it("while a task is dragged, columns say what a drop does or why it is not possible, and a drop does it", async () => {
  const { page, close } = await openView(browser, user, "/tasks?view=columns&pipeline=chore");
  const card = page.locator('[data-task="task_pin0000001"]');
  await card.waitFor();
  expect(await page.getByRole("region", { name: "implementing" }).count()).toBe(1);
  const box = await card.boundingBox();
  if (box === null) throw new Error("the card is not shown");
  await page.mouse.move(box.x + 40, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + 10, box.y + 60, { steps: 5 });
  const target = page.getByText("Drop to retry from implementing");
  await target.waitFor();
  await page.getByText("A task succeeds at the end of its pipeline.").waitFor();
  const drop = await target.boundingBox();
  if (drop === null) throw new Error("the column is not shown");
  await page.mouse.move(drop.x + 30, drop.y + 10, { steps: 10 });
  await page.mouse.up();
  await page.getByText("Retried “Pin the base image”.").waitFor();
  await expect
    .poll(async () => (await user.client.call("GET /tasks/:id", { params: { id: "task_pin" } })).status, {
      timeout: 30_000,
    })
    .not.toBe("failed");
  await close();
});

it("on a phone, columns are swiped and the page itself is not wider than the screen", async () => {
  const { page, close } = await openView(browser, user, "/tasks?view=columns", { size: PHONE });
  await page.getByRole("link", { name: "Export the payments" }).waitFor();
  await page.getByRole("region", { name: "Columns" }).waitFor();
  const snap = await page.evaluate('getComputedStyle(document.querySelector(".cols")).scrollSnapType');
  expect(snap).toContain("x mandatory");
  await expectNoOverflow(page);
  await close();
});
