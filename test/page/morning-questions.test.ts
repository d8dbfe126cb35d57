import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ReportJson } from "../../src/http/client/client.ts";
import { DEMO_TASKS } from "../../src/cli/demo/night.ts";
import { openBrowser, openView, type WatchedPage } from "./support/browser.ts";
import { createDemoUser, type DemoUser } from "./support/demo-user.ts";

// Ten questions that a person has in the morning. Only what the page says as text, or to a screen reader, may answer them.

let user: DemoUser;
let browser: Browser;
let view: WatchedPage;
let page: Page;
let report: ReportJson;

beforeAll(async () => {
  [user, browser] = await Promise.all([createDemoUser(), openBrowser()]);
  view = await openView(browser, user, "/");
  ({ page } = view);
  await page.getByRole("heading", { level: 1 }).waitFor();
  report = await user.client.call("GET /report", { query: {} });
});

afterAll(async () => {
  await browser?.close();
  await user?.cleanUp();
});

/** The text of a section, on one line. */
async function read(section: string): Promise<string> {
  const region = page.getByRole("region", { name: new RegExp(`^${section}( \\d+)?$`) });
  return (await region.innerText()).replaceAll(/\s+/g, " ");
}

async function titlesIn(section: string): Promise<readonly string[]> {
  const region = page.getByRole("region", { name: new RegExp(`^${section}( \\d+)?$`) });
  return await region.getByRole("heading", { level: 3 }).allInnerTexts();
}

async function sumLine(): Promise<string> {
  return (await page.locator("main .facts").first().innerText()).replaceAll(/\s+/g, " ");
}

it("1. Did the shift run to the end?", async () => {
  expect(await page.getByRole("heading", { level: 1 }).innerText()).toMatch(/^The shift ran to the end\./);
});

it("2. How many tasks were there, and what became of them? The numbers add up, and each leads to its tasks.", async () => {
  const text = await sumLine();
  const [, total = "", parts = ""] = /^(\d+) tasks: (.*?\d+ [a-z ]+)(?= about| \$)/.exec(text) ?? [];
  expect(Number(total)).toBe(Object.keys(DEMO_TASKS).length);
  const counts = parts.split(", ").map((part) => Number.parseInt(part, 10));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(Number(total));
  const sections = ["Decide", "To review", "Failed", "Skipped", "Merged", "Done"];
  const listed = await Promise.all(sections.map(async (section) => (await titlesIn(section)).length));
  expect(listed).toEqual(counts);
  await page.getByRole("link", { name: "1 failed" }).click();
  await page.waitForURL("**/#failed");
});

it("3. When did it work, and when not?", async () => {
  const figure = page.getByRole("group", { name: "The night, hour by hour" });
  const line = await figure.getByRole("img").getAttribute("aria-label");
  const clock = (at: string | undefined): string =>
    new Date(at ?? 0).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: report.time_zone });
  const first = report.spans.map((span) => span.from).toSorted()[0];
  const last = report.spans
    .flatMap((span) => span.to ?? [])
    .toSorted()
    .at(-1);
  expect(line).toBe(`Between ${clock(first)} and ${clock(last)}, agents and checks ran for 10 tasks in 1 project.`);
});

it("4. What waits for me, and what first?", async () => {
  expect((await titlesIn("Decide"))[0]).toBe(DEMO_TASKS.questions.title);
  const titles = [DEMO_TASKS.questions, DEMO_TASKS.feature, DEMO_TASKS.choice, DEMO_TASKS.approval].map(
    ({ title }) => title,
  );
  expect((await titlesIn("Decide")).toSorted()).toEqual(titles.toSorted());
  expect(await read("Decide")).toMatch(/Nearest deadline first .* Default at /);
});

it("5. What does the first one ask, and what happens if I say nothing?", async () => {
  const decide = page.getByRole("region", { name: /^Decide/ });
  await decide.getByText("In which format should hours.sh print the opening hours?").waitFor();
  expect(await decide.getByRole("radio").count()).toBeGreaterThanOrEqual(2);
  expect(await decide.getByRole("button", { name: /^Send answers/ }).count()).toBe(1);
  expect(await read("Decide")).toMatch(/default/i);
});

it("6. What can I merge first, why, and how long does it take to read?", async () => {
  const review = await read("To review");
  expect(review).toContain("Lowest risk first, then the shortest");
  const changes = report.sections.review.tasks;
  expect(await titlesIn("To review")).toEqual(changes.map(({ title }) => title));
  expect(review.match(/Low risk no warnings \+\d+ −\d+ \d files? about \d+ min to read/g)).toHaveLength(2);
  const minutes = changes.reduce((sum, { change }) => sum + (change?.reading_minutes ?? 0), 0);
  expect(await sumLine()).toContain(`about ${minutes} min to read`);
});

it("7. What failed, why, and what can I do about it?", async () => {
  expect(await titlesIn("Failed")).toEqual([DEMO_TASKS.failing.title]);
  const failed = await read("Failed");
  expect(failed).toContain('test: failed (limit "repair" of 2 used up)');
  expect(failed).toContain(`nightshift retry ${report.sections.failed.tasks[0]?.short_id}`);
  const region = page.getByRole("region", { name: /^Failed/ });
  expect(await region.getByRole("button", { name: `Retry “${DEMO_TASKS.failing.title}”` }).count()).toBe(1);
  expect(await region.getByRole("link", { name: "Checks" }).count()).toBe(1);
});

it("8. What was skipped on purpose, and why?", async () => {
  expect(await read("Skipped")).toMatch(
    /security .*No script evaluates its input, writes a file or opens a connection/,
  );
});

it("9. What is done already?", async () => {
  expect(await read("Merged")).toMatch(new RegExp(`${DEMO_TASKS.bug.title} .*was merged into main`));
  expect(await read("Done")).toContain(DEMO_TASKS.request.title);
});

it("10. What did it cost, for which agents, and how was the night before?", async () => {
  const money = await read("Money");
  const [, sum = "", runs = "", agents = ""] =
    /\$(\d+\.\d\d) for (\d+) agent runs: (.*?)\. Every run/.exec(money) ?? [];
  const parts = [...agents.matchAll(/([a-z]+) \$(\d+\.\d\d)/g)];
  expect(parts).toHaveLength(Object.keys(DEMO_TASKS).length);
  expect(parts.reduce((all, [, , usd]) => all + Number(usd), 0)).toBeCloseTo(Number(sum), 2);
  expect(Number(runs)).toBe(report.money.costs.total.runs);
  expect(await sumLine()).toContain(`$${sum}`);
  expect(await read("Since last night")).toMatch(new RegExp(`Night of .* 5 1 \\$${sum} Night of .* 0 0 \\$0\\.00`));
});
