import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DEMO_TASKS } from "../../src/cli/demo/night.ts";
import { createUser } from "../support/cli-user.ts";
import { signIn } from "../support/sign-in.ts";
import {
  DESKTOP,
  expectAccessible,
  expectNoOverflow,
  expectQuiet,
  openBrowser,
  openView,
  PHONE,
  type WatchedPage,
} from "./support/browser.ts";
import { createDemoUser, type DemoUser } from "./support/demo-user.ts";
import { asPageUser, createPageUser, type PageUser } from "./support/page-user.ts";

const PLAN = { outcome: "plan_complete", summary: "One file.", plan: "1. Write it.", plan_summary: "One file." };
const IMPLEMENTED = { outcome: "implemented", summary: "Wrote hello.txt." };

let browser: Browser;
let demo: DemoUser;
/** Their agents plan and implement, and have no reviewer. */
let shop: PageUser;
/** Has no project. */
let newcomer: PageUser;

beforeAll(async () => {
  browser = await openBrowser();
  demo = await createDemoUser();
  shop = await createPageUser({
    script: [
      { role: "plan", outcome: { ...PLAN, subtasks: [] } },
      { role: "implement", files: { "hello.txt": "hello\n" }, outcome: IMPLEMENTED },
    ],
    settings: "gates: { plan: auto }\n",
  });
  const user = await createUser();
  await user.run("start");
  newcomer = asPageUser(user);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([demo, shop, newcomer].map((user) => user?.cleanUp()));
});

async function openMorning(user: PageUser, size = DESKTOP, theme: "light" | "dark" = "light"): Promise<WatchedPage> {
  const view = await openView(browser, user, "/", { size, theme });
  await view.page.locator("h1.verdict").waitFor();
  return view;
}

function section(page: Page, name: string) {
  return page.getByRole("region", { name: new RegExp(`^${name}( \\d+)?$`) });
}

for (const theme of ["light", "dark"] as const)
  for (const size of [DESKTOP, PHONE])
    it(`a night with everything in it is accessible, fits and is quiet in the ${theme} theme at ${size.width} px`, async () => {
      const view = await openMorning(demo, size, theme);
      await section(view.page, "Decide")
        .getByRole("button", { name: /^Send answers/ })
        .waitFor();
      await view.page.getByRole("button", { name: "Show as a table" }).click();
      await view.page.getByRole("region", { name: "The night as a table" }).waitFor();
      await expectAccessible(view.page);
      await expectNoOverflow(view.page);
      expectQuiet(view);
      await view.close();
    });

it("the table behind the night line has a row for each run", async () => {
  const { page, close } = await openMorning(demo);
  await page.getByRole("button", { name: "Show as a table" }).click();
  const { spans } = await demo.client.call("GET /report", { query: {} });
  const rows = page.getByRole("region", { name: "The night as a table" }).locator("tbody tr");
  expect(await rows.count()).toBe(spans.length);
  await close();
});

it("j and k move over the rows, e opens a decision in place, Enter opens the task", async () => {
  const { page, close } = await openMorning(demo);
  const titles = await page.locator("[data-row] h3").allInnerTexts();
  await section(page, "Decide")
    .getByRole("button", { name: /^Send answers/ })
    .waitFor();
  for (const key of ["j", "j", "j", "k"]) await page.keyboard.press(key);
  const focused = page.locator(":focus");
  expect(await focused.innerText()).toBe(titles[1]);
  const row = page.locator("[data-row]").nth(1);
  expect(await row.getByRole("button", { name: "Close" }).count()).toBe(0);
  await page.keyboard.press("e");
  await row.getByRole("button", { name: "Close" }).waitFor();
  await page.keyboard.press("e");
  await row.getByRole("button", { name: "Close" }).waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await page.waitForURL("**/tasks/task_*");
  await page.getByRole("heading", { level: 1, name: titles[1] ?? "" }).waitFor();
  await close();
});

it("the keys [ and ] go to the night before and back, and each night has its address", async () => {
  const { page, close } = await openMorning(demo);
  const { night } = await demo.client.call("GET /report", { query: {} });
  const before = new Date(Date.parse(night ?? "") - 86_400_000).toISOString().slice(0, 10);
  await page.keyboard.press("[");
  await page.waitForURL(`**/nights/${before}`);
  await page.getByRole("heading", { level: 1, name: "Nothing was planned and nothing ran." }).waitFor();
  expect(await section(page, "Decide").count()).toBe(0);
  await page.keyboard.press("]");
  await page.waitForURL(`**/nights/${night}`);
  await section(page, "Failed").waitFor();
  await page.keyboard.press("]");
  await page.waitForURL(`${demo.url}/`);
  await close();
});

it("a day that is not in the calendar is refused with a sentence", async () => {
  const { page, close } = await openView(browser, demo, "/nights/2026-02-31");
  const problem = page.getByRole("alert");
  await problem.waitFor();
  expect(await problem.innerText()).toMatch(/The report could not be read\. .*day of the calendar/s);
  await close();
});

it("the page of a new user has two commands to copy and the check of the machine", async () => {
  for (const theme of ["light", "dark"] as const) {
    const view = await openMorning(newcomer, theme === "light" ? DESKTOP : PHONE, theme);
    const { page } = view;
    await page.getByRole("heading", { level: 1, name: /^No project yet\./ }).waitFor();
    await page
      .getByRole("row", { name: /sandbox/i })
      .first()
      .waitFor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy the command nightshift demo" }).click();
    await page.getByText("Copied", { exact: true }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("nightshift demo");
    expect(
      await page.getByRole("button", { name: "Copy the command cd your-repository && nightshift init" }).count(),
    ).toBe(1);
    await expectAccessible(page);
    await expectNoOverflow(page);
    expectQuiet(view);
    await view.close();
  }
});

it("a quiet night is short and asks for nothing", async () => {
  const view = await openMorning(shop);
  const { page } = view;
  expect(await page.locator("h1").innerText()).toBe("Nothing was planned and nothing ran. No task waits for you.");
  const names = await page.locator("main section h2").allInnerTexts();
  expect(names.filter((name) => /Decide|Fix|Failed|review/.test(name))).toEqual([]);
  await section(page, "Tonight").getByRole("link", { name: "New task" }).waitFor();
  await expectAccessible(page);
  expectQuiet(view);
  await view.close();
});

it("the shift is running until its tasks are done; then m merges the selected change, and asks first why if no review vouches for it", async () => {
  const task = await shop.client.call("POST /tasks", {
    body: { project: "shop", pipeline: "feature", title: "Say hello", description: "Write hello.txt." },
  });
  await shop.client.call("POST /tasks/:id/pause", { params: { id: task.id } });
  const view = await openMorning(shop);
  const { page } = view;
  await page.getByRole("heading", { level: 1, name: /^The shift is running\. 0 of 1 task is done\./ }).waitFor();
  expect(await section(page, "Queued").innerText()).toContain("paused");
  await page.getByRole("button", { name: "Resume “Say hello”" }).click();
  // Appears without a reload when the task waits for its merge.
  const review = section(page, "To review");
  await review.waitFor({ timeout: 90_000 });
  expect(await review.innerText()).toMatch(/High risk\s+was not reviewed/);
  await review.getByRole("link", { name: "Say hello" }).focus();
  await page.keyboard.press("m");
  const dialog = page.getByRole("dialog", { name: "Merge “Say hello”?" });
  await dialog.waitFor();
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Merge" }).click({ force: true });
  expect((await shop.client.call("GET /tasks/:id", { params: { id: task.id } })).status).toBe("waiting");
  await dialog.getByRole("textbox", { name: "Why it is merged" }).fill("I read it myself.");
  await dialog.getByRole("button", { name: "Merge" }).click();
  await section(page, "Merged").getByRole("link", { name: "Say hello" }).waitFor();
  expect(await review.count()).toBe(0);
  expectQuiet(view);
  await view.close();
});

// The last test of this user, because from here on its agent is parked.
it("a bad night says first what stops the work, with the command and a way to try again", async () => {
  // The merge above.
  await shop.repo.git("pull", "-q", "--rebase", "origin", "main");
  await shop.repo.commit({
    "nightshift.yaml": "project: shop\nagent: mine\nagents:\n  mine: { kind: command, command: [/missing/agent] }\n",
  });
  expect((await shop.run("trust", "--yes")).code).toBe(0);
  await shop.client.call("POST /tasks", {
    body: { project: "shop", pipeline: "chore", title: "Say goodbye", description: "Write goodbye.txt." },
  });
  const view = await openMorning(shop, PHONE);
  const { page } = view;
  const fix = section(page, "Fix first");
  await fix.waitFor({ timeout: 90_000 });
  expect(await page.locator("h1").innerText()).toMatch(/^Part of the work is stopped: mine cannot be started/);
  await fix.getByText("1 task waits for it.").waitFor();
  expect(await fix.getByRole("button", { name: "Copy the command nightshift doctor" }).count()).toBe(1);
  expect(await page.locator("main section h2").first().innerText()).toMatch(/^Fix first/);
  expect(await section(page, "Queued").getByRole("link", { name: "Say goodbye" }).count()).toBe(1);
  await fix.getByRole("button", { name: "Try mine again now" }).click();
  await page.getByText("One run of mine tries again now.").waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
  expectQuiet(view);
  await view.close();
});

it("a task that was decided elsewhere leaves the page without a reload", async () => {
  const { page, close } = await openMorning(demo);
  const title = DEMO_TASKS.feature.title;
  await section(page, "Decide").getByRole("link", { name: title }).waitFor();
  await demo.client.call("POST /tasks/:id/reject", {
    params: { id: demo.tasks.feature.id },
    body: { reason: "Not now." },
  });
  await section(page, "Cancelled").getByRole("link", { name: title }).waitFor();
  expect(await section(page, "Decide").getByRole("link", { name: title }).count()).toBe(0);
  await close();
});

it("a person who may only read sees each action with the reason why it is refused", async () => {
  const { token } = await demo.client.call("POST /tokens", { body: { name: "reader", rights: [] } });
  const reader = { ...demo, signIn: () => signIn({ url: demo.url, token }) };
  const view = await openMorning(reader);
  const retry = section(view.page, "Failed").getByRole("button", { name: /^Retry/ });
  await retry.and(view.page.locator("[aria-disabled=true]")).waitFor();
  expect(await retry.getAttribute("title")).toBe('Retrying a task needs the right "submit"; reader may only read.');
  await retry.click({ force: true });
  expect((await demo.client.call("GET /tasks/:id", { params: { id: demo.tasks.failing.id } })).status).toBe("failed");
  await expectAccessible(view.page);
  expectQuiet(view);
  await view.close();
});

it("a report that cannot be read says so, and can be tried again", async () => {
  const { page, close } = await openView(browser, demo, "/settings");
  let isBroken = true;
  await page.route("**/api/v1/report*", (route) => (isBroken ? route.abort() : route.continue()));
  await page.goto(demo.url);
  const problem = page.getByRole("alert");
  await problem.getByText("The report could not be read.").waitFor();
  isBroken = false;
  await problem.getByRole("button", { name: "Try again" }).click();
  await page.locator("h1.verdict").waitFor();
  expect(await problem.count()).toBe(0);
  await close();
});
