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
import { createDemoUser, type DemoUser } from "./support/demo-user.ts";
import { createPageUser, type PageUser } from "./support/page-user.ts";

let browser: Browser;
let demo: DemoUser;
/** Has a budget, and an agent that does not say what it costs. */
let shop: PageUser;

beforeAll(async () => {
  [browser, demo, shop] = await Promise.all([
    openBrowser(),
    createDemoUser(),
    createPageUser({ settings: "budget: { run_usd: 1, night_usd: 20 }\n" }),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await Promise.all([demo, shop].map((user) => user?.cleanUp()));
});

function figure(page: Page, name: string) {
  return page.locator(".fig", { hasText: name });
}

async function legend(page: Page): Promise<readonly string[]> {
  return await page.getByRole("region", { name: "Cost by day" }).locator(".legend > span").allInnerTexts();
}

function usdIn(text: string): number {
  return Number(/\$(\d+\.\d\d)/.exec(text)?.[1]);
}

for (const theme of ["light", "dark"] as const)
  for (const size of [DESKTOP, PHONE])
    it(`costs and quality are accessible, fit and are quiet in the ${theme} theme at ${size.width} px`, async () => {
      const view = await openView(browser, demo, "/costs", { theme, size });
      await view.page.getByRole("cell", { name: "gardener" }).waitFor();
      await view.page.getByText(/open, \d+ nothing ran/).waitFor();
      await view.page.getByRole("button", { name: "Table" }).click();
      await expectAccessible(view.page);
      await expectNoOverflow(view.page);
      expectQuiet(view);
      await view.close();
    });

it("each figure says how it is calculated, and agrees with the API", async () => {
  const { page, close } = await openView(browser, demo, "/costs");
  await figure(page, "Tasks succeeded").waitFor();
  const { total } = await demo.client.call("GET /costs", { query: { by: "day" } });
  const spent = `$${total.cost_usd?.toFixed(2)}`;
  expect(await figure(page, "Spent").innerText()).toContain(
    `${spent}\n${total.runs} agent runs, all with a known cost`,
  );
  expect(await figure(page, "Changes merged").innerText()).toContain("1 of 3\n0 closed, 2 open");
  expect(await figure(page, "Per merged change").innerText()).toContain(`${spent}\nall spending, divided by 1`);
  // Below 20 ended tasks, there is no rate.
  expect(await figure(page, "Tasks succeeded").innerText()).toContain("5 of 6\n1 failed, 0 cancelled");
  await close();
});

it("the division of the costs is in the address, and each division adds up to the same sum", async () => {
  const { page, close } = await openView(browser, demo, "/costs?range=7d");
  await figure(page, "Spent").waitFor();
  const spent = usdIn(await figure(page, "Spent").innerText());
  expect(await legend(page)).toEqual([`demo $${spent.toFixed(2)}`]);
  await page.getByRole("navigation", { name: "Divide by" }).getByRole("link", { name: "Agent" }).click();
  await page.waitForURL("**/costs?range=7d&by=agent");
  await expect.poll(() => legend(page)).toHaveLength(4);
  const parts = await legend(page);
  expect(parts.at(-1)).toMatch(/^others /);
  expect(parts.reduce((sum, part) => sum + usdIn(part), 0)).toBeCloseTo(spent, 2);
  await page.reload();
  await expect.poll(() => legend(page)).toEqual(parts);
  await page.getByRole("button", { name: "Table" }).click();
  const rows = page.getByRole("region", { name: "Cost by day as a table" }).locator("tbody tr");
  expect(await rows.count()).toBe(7);
  await close();
});

it("the project is in the address, and a period without costs says so", async () => {
  const { page, close } = await openView(browser, demo, "/costs");
  await figure(page, "Spent").waitFor();
  await page.getByRole("combobox", { name: "Project" }).selectOption("demo");
  await page.waitForURL("**/costs?project=demo");
  await page.goto(`${demo.url}/costs?project=nothing-here&range=7d`);
  await page.getByRole("heading", { name: "Nothing spent in this period" }).waitFor();
  expect(await page.getByRole("combobox", { name: "Project" }).inputValue()).toBe("nothing-here");
  await close();
});

it("a night of the strip opens its report", async () => {
  const { page, close } = await openView(browser, demo, "/costs");
  const strip = page.getByRole("region", { name: "What became of the nights" });
  await strip.getByRole("link", { name: /: open, 6 tasks ended, \$/ }).click();
  await page.waitForURL(/\/nights\/\d{4}-\d\d-\d\d$/);
  const verdict = page.locator("h1.verdict");
  await verdict.waitFor();
  expect(await verdict.innerText()).toMatch(/^The shift ran to the end\./);
  await close();
});

it("before the first run nothing is spent, and the budget is shown", async () => {
  const view = await openView(browser, shop, "/costs");
  await view.page.getByRole("heading", { name: "Nothing spent yet" }).waitFor();
  const budgets = view.page.getByRole("region", { name: "Budgets" });
  await budgets.getByRole("img", { name: "$0.00 spent, of $20.00" }).waitFor();
  await expectAccessible(view.page);
  expectQuiet(view);
  await view.close();
});

it("a run of unknown cost is counted beside the sum and is never zero", async () => {
  const { page, close } = await openView(browser, shop, "/costs");
  await page.getByRole("heading", { name: "Nothing spent yet" }).waitFor();
  const agent = `{ kind: command, command: [${JSON.stringify(`${shop.repo.path}/agent.sh`)}] }`;
  await shop.repo.commit({
    "nightshift.yaml": `project: shop\nagent: mine\nagents:\n  mine: ${agent}\nbudget: { run_usd: 1, night_usd: 20 }\n`,
  });
  expect((await shop.run("trust", "--yes")).code).toBe(0);
  await shop.client.call("POST /tasks", {
    body: { project: "shop", pipeline: "chore", title: "Say hello", description: "Write hello.txt." },
  });
  await figure(page, "Spent").waitFor({ timeout: 60_000 });
  expect(await figure(page, "Spent").innerText()).toContain("unknown\n1 agent run, 1 of unknown cost not in the sum");
  await page.getByRole("region", { name: "Tokens" }).getByText("No run reported its tokens.").waitFor();
  await close();
});
