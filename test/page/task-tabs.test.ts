import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TaskJson } from "../../src/http/client/client.ts";
import { DESKTOP, expectAccessible, expectQuiet, openBrowser, openView, PHONE } from "./support/browser.ts";
import type { PageUser } from "./support/page-user.ts";
import { createSceneUser, playBug, playFeature, playHostile, playStaged } from "./support/task-scenes.ts";

let user: PageUser;
let browser: Browser;
let feature: TaskJson;
let bug: TaskJson;
let staged: TaskJson;
let hostile: TaskJson;

beforeAll(async () => {
  [user, browser] = await Promise.all([createSceneUser(), openBrowser()]);
  [feature, bug, staged, hostile] = await Promise.all([
    playFeature(user),
    playBug(user),
    playStaged(user),
    playHostile(user),
  ]);
}, 400_000);

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
});

/** A text of each tab that says that it is loaded. */
const READY = {
  plan: "What changed since version 1",
  checks: "Run by the engine on a fresh checkout",
  artifacts: "Change",
  context: "What later runs know",
  cost: "spent by",
  permissions: "What each run was granted",
} as const;
type Tab = keyof typeof READY;

async function openTab(task: TaskJson, tab: Tab, ready: string = READY[tab], size = DESKTOP) {
  const view = await openView(browser, user, `/tasks/${task.id}/${tab}`, { size });
  await view.page.getByText(ready).first().waitFor();
  return view;
}

async function expectFitting(page: Page): Promise<void> {
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
}

for (const tab of Object.keys(READY) as Tab[])
  it(`the tab ${tab} is accessible in both themes, on a desktop and on a phone`, async () => {
    for (const size of [DESKTOP, PHONE]) {
      const view = await openTab(feature, tab, READY[tab], size);
      await expectAccessible(view.page);
      await view.page.emulateMedia({ colorScheme: "dark" });
      await expectAccessible(view.page);
      await expectFitting(view.page);
      expectQuiet(view);
      await view.close();
    }
  });

describe("plan", () => {
  it("shows each version with its hash and who decided, and what changed because of which feedback", async () => {
    const { page, close } = await openTab(feature, "plan");
    const plan = page.getByRole("article", { name: "plan version 2" });
    expect(await plan.innerText()).toMatch(/Approved\s*by/);
    expect(await plan.innerText()).toContain("No new table, we have jobs.");
    expect(await plan.getByText("Add a table webhook_retries.").count()).toBe(1);
    await page.getByRole("link", { name: "Version 1" }).click();
    await page.getByRole("article", { name: "plan version 1" }).getByText("Changes requested").waitFor();
    expect(new URL(page.url()).searchParams.get("version")).toBe("1");
    await close();
  });

  it("shows an investigation, and everything that a staged plan was granted", async () => {
    const report = await openTab(bug, "plan", "prints a different text");
    expect(await report.page.getByRole("heading", { name: /^Report/ }).count()).toBe(1);
    await report.close();
    const plan = await openTab(staged, "plan", "Read README.md and write reports/licences.md.");
    expect(await plan.page.getByText("reports", { exact: true }).first().isVisible()).toBe(true);
    await plan.close();
  });
});

describe("checks", () => {
  it("opens the output of what failed at its first error, with colours, and explains the red baseline", async () => {
    const { page, close } = await openTab(feature, "checks");
    const log = page.getByRole("region", { name: "Output of test" });
    const error = log.locator('li[aria-current="true"]');
    await error.waitFor();
    expect(await error.innerText()).toContain("AssertionError: expected 5 attempts, got 6  <b>retry.sh</b>:2");
    expect(await error.locator(".a-r").innerText()).toBe("AssertionError");
    await page.getByText("fails in the same way on the base commit").waitFor();
    await close();
  });

  it("opens another result from its cell, with an address that works after a reload", async () => {
    const { page, close } = await openTab(feature, "checks");
    await page.getByRole("row", { name: /^lint/ }).getByRole("link", { name: "red baseline" }).first().click();
    const log = page.getByRole("region", { name: "Output of lint" });
    await log.getByText("two warnings").first().waitFor();
    expect(new URL(page.url()).searchParams.get("check")).toBe("lint");
    // The base commit was measured before any run, so there is no output of it to show.
    expect(await log.getByRole("button", { name: "On the base commit" }).count()).toBe(0);
    await page.reload();
    await log.waitFor();
    await close();
  });

  it("says that a fix is proven", async () => {
    const { page, close } = await openTab(bug, "checks", "The fix is proven.");
    expect(await page.getByRole("row", { name: /^proof of the fix built in/ }).innerText()).toContain("proven");
    await close();
  });
});

describe("cost", () => {
  it("lists each run of an agent, and the sum adds up to what the task cost", async () => {
    const { page, close } = await openTab(feature, "cost");
    const rows = await page.getByRole("region", { name: "Cost by run" }).locator("tbody tr").allInnerTexts();
    const costs = rows.map((row) => Number(/\$(\d+\.\d\d)\s*$/.exec(row)?.[1]));
    const total = costs.reduce((sum, usd) => sum + usd, 0);
    expect(total.toFixed(2)).toBe((feature.cost_usd ?? 0).toFixed(2));
    expect(await page.locator("tfoot").innerText()).toContain(`$${total.toFixed(2)}`);
    await page.getByText("task limit $15.00").waitFor();
    await close();
  });
});

describe("context, artifacts and permissions", () => {
  it("the context has the words of people and agents, and the prompt of each run", async () => {
    const { page, close } = await openTab(feature, "context");
    const known = page.getByRole("region", { name: "What later runs know" });
    expect(await known.innerText()).toContain("No new table, we have jobs.");
    const prompts = page.getByRole("region", { name: "What each run was told" });
    await prompts.getByText("plan_revision").click();
    const prompt = prompts.getByRole("region", { name: "Prompt" });
    await prompt.waitFor();
    expect(await prompt.innerText()).toContain("No new table, we have jobs.");
    await close();
  });

  it("the files of a staged task are listed, and applying shows first what would be written", async () => {
    const { page, close } = await openTab(staged, "artifacts", "reports/licences.md");
    expect(await page.getByRole("row", { name: /reports\/licences.md/ }).innerText()).toContain("created");
    await page.getByRole("button", { name: "Apply the files…" }).click();
    const dialog = page.getByRole("dialog", { name: "Apply the files to the checkout" });
    await dialog.getByRole("cell", { name: "reports/licences.md" }).waitFor();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Write 1 file" }).click();
    await dialog.waitFor({ state: "detached" });
    const { events } = await user.client.call("GET /tasks/:id/events", { params: { id: staged.id } });
    expect(events.some(({ summary }) => summary.startsWith("apply: 1 file"))).toBe(true);
    await close();
  });

  it("permissions name what a run got, and what the sandbox refused with what would allow it", async () => {
    const view = await openView(browser, user, "/settings");
    const denial = {
      kind: "network",
      target: "evil.example:443",
      sentence: "denied: the host is not allowed. Add it to `network`.",
      count: 3,
    };
    // The daemons of these tests have no sandbox that could refuse anything.
    await view.page.route(`**/api/v1/tasks/${feature.id}`, async (route) => {
      const response = await route.fetch();
      const task = (await response.json()) as TaskJson;
      const runs = task.runs.map((run, index) => (index === 0 ? { ...run, denials: [denial] } : run));
      await route.fulfill({ response, json: { ...task, runs } });
    });
    await view.page.goto(`${user.url}/tasks/${feature.id}/permissions`);
    const row = view.page.getByRole("row", { name: /evil.example/ });
    await row.waitFor();
    expect(await row.innerText()).toMatch(/the host is not allowed\. Add it[\s\S]*3/);
    const granted = view.page.getByRole("region", { name: "What each run was granted" });
    await granted.getByText("none: all permissions of the user").first().waitFor();
    await view.close();
  });
});

it("hostile titles, plans, file names and output are shown as text on every tab", async () => {
  for (const tab of ["timeline", "plan", "checks", "artifacts", "context", "cost", "permissions"]) {
    const view = await openView(browser, user, `/tasks/${hostile.id}/${tab}`, { size: PHONE });
    await view.page.getByRole("heading", { level: 1 }).getByText("<script>").waitFor();
    await view.page.getByRole("navigation", { name: "Task" }).waitFor();
    await expect.poll(() => view.page.locator(".tab-body, .two").count(), { timeout: 20_000 }).toBeGreaterThan(0);
    expect(await view.page.locator("main script, main img, main a[href^='javascript:']").count()).toBe(0);
    await expectFitting(view.page);
    expectQuiet(view);
    await view.close();
  }
});
