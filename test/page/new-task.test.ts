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
import { addPerson } from "./support/decisions.ts";
import { createPageUser, type PageUser } from "./support/page-user.ts";

let user: PageUser;
let browser: Browser;

beforeAll(async () => {
  const settings = "budget: { task_usd: 15 }\nchecks: { unit: { command: 'true' } }\n";
  [user, browser] = await Promise.all([createPageUser({ settings }), openBrowser()]);
}, 180_000);

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
});

const description = (page: Page) => page.getByLabel("What should be done?");
const steps = (page: Page) => page.getByRole("complementary", { name: "What will happen" });
const submit = (page: Page) => page.getByRole("button", { name: /^Submit the task/ });
const openMore = (page: Page) => page.locator("summary").click();

for (const theme of ["light", "dark"] as const) {
  for (const size of [DESKTOP, PHONE]) {
    it(`the form is accessible and quiet in the ${theme} theme at ${size.width} px, also with problems`, async () => {
      const view = await openView(browser, user, "/new", { theme, size });
      await steps(view.page).getByText("planning").waitFor();
      await openMore(view.page);
      await expectAccessible(view.page);
      await view.page.getByLabel("Budget of the task, in USD").fill("nothing");
      await submit(view.page).click();
      await view.page.getByText("Say what should be done").waitFor();
      await expectAccessible(view.page);
      await expectNoOverflow(view.page);
      expectQuiet(view);
      await view.close();
    });
  }
}

it("what will happen follows the form: steps, gates, checks, limits and what is not possible", async () => {
  const { page, close } = await openView(browser, user, "/new");
  const preview = steps(page);
  await preview.getByText("carries out exactly the approved plan").waitFor();
  await page.getByText("Small and clear: straight to code").click();
  await preview.getByText("unit, no-secrets; up to 3 repairs").waitFor();
  expect(await preview.getByText("planning", { exact: true }).count()).toBe(0);
  await preview.getByText("$15.00", { exact: true }).waitFor();
  await openMore(page);
  await page.getByLabel("Budget of the task, in USD").fill("2.5");
  await preview.getByText("$2.50", { exact: true }).waitFor();
  await page.getByLabel("Time limit of a run", { exact: true }).fill("7m");
  await preview
    .getByText(/at most 7 min/)
    .first()
    .waitFor();
  await page.getByLabel("Start after", { exact: true }).fill("zzzz");
  await preview.getByText("It cannot be submitted yet:").waitFor();
  await page.getByLabel("Start after", { exact: true }).fill("");
  await preview.getByText("It cannot be submitted yet:").waitFor({ state: "detached" });
  await close();
});

it("problems are shown at their fields, those that nobody typed yet only after an attempt, and the first gets the focus", async () => {
  const { page, close } = await openView(browser, user, "/new");
  await steps(page).getByText("planning").waitFor();
  await openMore(page);
  const turns = page.getByLabel("Turns of a run");
  await turns.fill("many");
  expect(await turns.getAttribute("aria-invalid")).toBeNull();
  await turns.blur();
  await page.getByText(/Expected a number of turns/).waitFor();
  expect(await page.getByText("Say what should be done, or name").count()).toBe(0);
  await page.keyboard.press("Control+Enter");
  await page.getByText("Say what should be done, or name").waitFor();
  expect(await description(page).evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
  await description(page).fill("Greet the night shift");
  // The remaining problem is under "More", which opens again.
  await page.locator("summary").click();
  await submit(page).click();
  await turns.waitFor();
  expect(await page.evaluate("document.activeElement.value")).toBe("many");
  expect(await user.client.call("GET /tasks")).toMatchObject({ tasks: [] });
  await close();
});

it("a draft survives a reload and is gone after the task was submitted, which opens the task", async () => {
  const { page, close } = await openView(browser, user, "/new");
  await page.getByText("Small and clear: straight to code").click();
  await description(page).fill("Greet the night shift\n\n<script>alert(1)</script>");
  await openMore(page);
  await page.getByLabel("Tags").fill("greeting, night");
  await page.reload();
  await page.waitForFunction("document.querySelector('textarea')?.value.startsWith('Greet the night shift')");
  await steps(page).getByText("unit, no-secrets").waitFor();
  expect(await page.getByLabel("Tags").inputValue()).toBe("greeting, night");
  await page.getByRole("button", { name: "Preview" }).click();
  expect(await page.locator("#main script").count()).toBe(0);
  await page.keyboard.press("Control+Enter");
  await page.waitForURL(/\/tasks\/task_/);
  await page.getByText("Submitted. It starts when a slot is free.").waitFor();
  const { tasks } = await user.client.call("GET /tasks");
  expect(tasks).toMatchObject([{ title: "Greet the night shift", pipeline: "chore", tags: ["greeting", "night"] }]);
  await page.goto(`${user.url}/new`);
  await steps(page).getByText("unit, no-secrets").waitFor();
  expect(await description(page).inputValue()).toBe("");
  await close();
});

it("a description of a million characters is submitted, and a longer one is refused with the limit", async () => {
  const { page, close } = await openView(browser, user, "/new");
  await page.getByText("Small and clear: straight to code").click();
  await description(page).fill(`Long text\n${"x".repeat(1_000_000)}`);
  await submit(page).click();
  await page.getByText(/At most 1,000,000 characters, this has 1,000,010\./).waitFor();
  await description(page).fill(`Long text\n${"x".repeat(999_990)}`);
  await submit(page).click();
  await page.waitForURL(/\/tasks\/task_/);
  const { tasks } = await user.client.call("GET /tasks", { query: { text: "Long text" } });
  expect(tasks).toHaveLength(1);
  await close();
});

it("a person who may not submit sees why, and can still write", async () => {
  const reader = await addPerson(user, "rita", []);
  const { page, close } = await openView(browser, reader, "/new");
  await description(page).fill("I may not do this");
  const button = submit(page);
  await expect.poll(async () => await button.getAttribute("aria-disabled")).toBe("true");
  await expect
    .poll(async () => await button.getAttribute("title"))
    .toMatch(/needs the right "submit"; rita may only read/);
  await page.keyboard.press("Control+Enter");
  expect(page.url()).toMatch(/\/new$/);
  await close();
});
