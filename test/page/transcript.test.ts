import { rm, writeFile, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { TaskJson } from "../../src/http/client/client.ts";
import { DESKTOP, expectAccessible, expectQuiet, openBrowser, openView, PHONE } from "./support/browser.ts";
import { createPageUser, type PageUser } from "./support/page-user.ts";
import { firstRun, hasEnded, type PrintedLine, submitTask, writeTranscript } from "./support/transcripts.ts";

let user: PageUser;
let browser: Browser;
let gates: string;
let task: TaskJson;

const wait = (name: string): string => `while [ ! -e ${join(gates, name)} ]; do sleep 0.05; done`;
const printFiles = (name: string, count: number): string =>
  `for i in $(seq ${count}); do echo "{\\"type\\":\\"file_change\\",\\"path\\":\\"${name}$i\\",\\"change\\":\\"created\\"}"; done`;

beforeAll(async () => {
  gates = await mkdtemp(join(tmpdir(), "nightshift-gates-"));
  const commands = [[printFiles("early", 60), wait("one"), printFiles("late", 12), wait("two")].join("; ")];
  const outcome = { outcome: "implemented", summary: "wrote a.ts" };
  const script = [{ role: "implement", say: ["I look first."], files: { "a.ts": "export {};\n" }, commands, outcome }];
  [user, browser] = await Promise.all([createPageUser({ script }), openBrowser()]);
  await open("one");
  await open("two");
  task = await submitTask(user, "Retry webhook deliveries", hasEnded);
});

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
  await rm(gates, { recursive: true, force: true });
});

const open = (gate: string): Promise<void> => writeFile(join(gates, gate), "");
const address = (rest = ""): string => `/tasks/${task.id}/transcript?run=${firstRun(task)}${rest}`;
const widthOf = (page: Page): Promise<unknown> => page.evaluate("document.documentElement.scrollWidth - innerWidth");
/** Where an entry is in the window, such as a match that must be visible. */
const isInView = async (page: Page, text: string): Promise<boolean> => {
  const found = page.getByText(text);
  const box = (await found.count()) === 0 ? null : await found.first().boundingBox();
  return box !== null && box.y > 0 && box.y < DESKTOP.height;
};

const call = (id: string, name: string, input: unknown): PrintedLine => ({ type: "tool_call", id, name, input });
const result = (id: string, output: string, failed = false): PrintedLine => ({
  type: "tool_result",
  id,
  output,
  failed,
});

const SESSION: readonly PrintedLine[] = [
  { type: "session", id: "s-1", version: "2.1.259", model: "opus" },
  { type: "thinking", text: "The first delivery counts." },
  { type: "text", text: "The test counts the **first** delivery." },
  call("1", "Read", { file_path: "src/queue.ts" }),
  result("1", "one\ntwo\nthree"),
  call("2", "Edit", { file_path: "src/queue.ts", old_string: "a > b", new_string: "a >= b" }),
  result("2", "ok"),
  call("3", "Bash", { command: "npx vitest run" }),
  result("3", "Exit code 1\n\u001b[31mAssertionError\u001b[0m: expected 1 to be 2", true),
  { type: "error", message: "529 overloaded" },
];

it("a finished transcript shows text, folded thinking, tool calls with results, the report and the end", async () => {
  await writeTranscript(user, firstRun(task), SESSION);
  const view = await openView(browser, user, address());
  const { page } = view;
  const log = page.getByRole("log", { name: "Transcript of implement" });
  await log.getByText("Ended by itself, exit code 0.").waitFor();
  expect(await log.locator("strong", { hasText: "first" }).count()).toBe(1);
  expect(await log.getByText("The first delivery counts.").count()).toBe(0);
  await log.getByText("Thinking, 26 characters").click();
  await log.getByText("The first delivery counts.").waitFor();
  const tools = await log.locator(".tool > summary").allInnerTexts();
  expect(tools.map((text) => text.split(/\s*\n\s*/).join(" "))).toEqual([
    "Read src/queue.ts 3 lines",
    "Edit src/queue.ts +1 −1",
    "Bash npx vitest run exit 1, 2 lines",
  ]);
  // What failed is open and red, and an edit shows its lines.
  expect(await log.locator(".tool[open]").count()).toBe(2);
  expect(await log.locator(".a-r", { hasText: "AssertionError" }).count()).toBe(1);
  expect(await log.locator(".a-g", { hasText: "+ a >= b" }).count()).toBe(1);
  expect(await log.getByText("scripted reported implemented").count()).toBe(1);
  expect(await log.getByText("A claim: the checks follow.").count()).toBe(1);
  expect(await log.getAttribute("aria-live")).toBe("off");
  expectQuiet(view);
  await view.close();
});

it("all calls can be unfolded at once, and the lines shown as they were printed", async () => {
  await writeTranscript(user, firstRun(task), SESSION);
  const { page, close } = await openView(browser, user, address());
  await page.getByRole("button", { name: "Unfold all" }).click();
  await page.getByText("three").waitFor();
  await page.getByRole("button", { name: "Raw" }).click();
  await page.getByText('{"type":"thinking","text":"The first delivery counts."}').waitFor();
  await page.getByRole("button", { name: "Raw" }).click();
  await page.getByText("Thinking, 26 characters").waitFor();
  expect(await page.getByText('"type":"thinking"').count()).toBe(0);
  await close();
});

for (const theme of ["light", "dark"] as const) {
  for (const size of [DESKTOP, PHONE]) {
    it(`a transcript is accessible and fits in the ${theme} theme at ${size.width} px`, async () => {
      await writeTranscript(user, firstRun(task), [...SESSION, { type: "text", text: "x".repeat(3000) }]);
      const view = await openView(browser, user, address(), { theme, size });
      await view.page.getByText("Ended by itself").waitFor();
      await view.page.getByRole("searchbox", { name: "Find in this transcript" }).fill("delivery");
      await view.page.getByText(/^1 of \d+$/).waitFor();
      await expectAccessible(view.page);
      expect(await widthOf(view.page)).toBe(0);
      expectQuiet(view);
      await view.close();
    });
  }
}

it("what agents and programs print is inert", async () => {
  const evil = '<script>window.evil = 1</script><svg onload="window.evil = 2"><img src=x onerror="window.evil = 3">';
  await writeTranscript(user, firstRun(task), [
    { type: "text", text: `${evil} [click](javascript:window.evil=4) ![](http://evil.example/a.png)` },
    { type: "thinking", text: evil },
    call(evil, evil, { command: evil, [evil]: evil }),
    result(evil, `${evil}\u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007\u001b[2J\u001b]0;title\u0007`, true),
    { type: "file_change", path: `\u202e${evil}`, change: "created" },
    { type: "error", message: evil },
    { type: "session", id: "evil", model: evil },
    `${evil} \u001b[38;2;1;2;3mstyled\u001b[0m`,
    "not json \u0000\u0007",
  ]);
  const view = await openView(browser, user, address());
  const log = view.page.getByRole("log");
  await log.getByText("Ended by itself").waitFor();
  await view.page.getByRole("button", { name: "Unfold all" }).click();
  await log.getByText("onload").first().waitFor();
  expect(await view.page.evaluate("window.evil")).toBeUndefined();
  expect(await log.locator("script, img, iframe, [onload], [onerror]").count()).toBe(0);
  expect(await log.locator('a[href^="javascript:"], a[href*="evil.example"]').count()).toBe(0);
  expect(await view.page.title()).not.toBe("title");
  expectQuiet(view);
  await view.close();
});

it("a line of a megabyte is cut until a person asks for more", async () => {
  const long = `${"a".repeat(1_000_000)}END`;
  await writeTranscript(user, firstRun(task), [call("1", "Bash", { command: "cat big" }), result("1", long, true)]);
  const { page, close } = await openView(browser, user, address());
  await page.getByText("998,003 more characters").waitFor();
  expect(Number(await page.evaluate("document.body.innerText.length"))).toBeLessThan(10_000);
  await page.getByRole("button", { name: "Show them" }).click();
  await page.getByText("800,003 more characters").waitFor();
  expect(await widthOf(page)).toBe(0);
  await close();
});

const changeFiles = (name: string, count: number): readonly PrintedLine[] =>
  Array.from({ length: count }, (_, index) => ({
    type: "file_change",
    path: `${name}${index}.ts`,
    change: "modified",
  }));

it("keys go from error to error, and the first error follows the last one", async () => {
  await writeTranscript(user, firstRun(task), [
    ...changeFiles("a", 400),
    { type: "error", message: "alpha failed" },
    ...changeFiles("b", 400),
    { type: "error", message: "beta failed" },
  ]);
  const { page, close } = await openView(browser, user, address());
  await page.getByRole("button", { name: "Next error 2" }).waitFor();
  const expectError = (text: string) => page.locator(".ln.hit", { hasText: text }).waitFor();
  await page.keyboard.press("n");
  await expectError("alpha failed");
  await page.keyboard.press("n");
  await expectError("beta failed");
  await page.keyboard.press("n");
  await expectError("alpha failed");
  await page.keyboard.press("p");
  await expectError("beta failed");
  await expect.poll(() => isInView(page, "beta failed")).toBe(true);
  await close();
});

it("a transcript of 50 MB shows its start at once, and a search finds and shows its middle and its end", async () => {
  const total = 190_000;
  function* lines(): Generator<PrintedLine> {
    for (let index = 0; index < total; index += 1) {
      const mark = index === total - 1 ? "the last word" : "nothing";
      if (index === 120_000) yield { type: "file_change", path: "the needle.ts", change: "modified" };
      yield { type: "text", text: `${mark} ${index} ${"words ".repeat(30)}` };
      if (index % 10 === 0) yield { type: "file_change", path: `file${index}`, change: "modified" };
    }
  }
  const offsets = await writeTranscript(user, firstRun(task), lines());
  expect(offsets.at(-1)).toBeGreaterThan(50_000_000);
  const view = await openView(browser, user, address());
  const { page } = view;
  await page.getByText("nothing 0 words").waitFor();
  // Only what is around the visible part is there.
  expect(await page.locator(".entries > .ln").count()).toBeLessThan(100);
  const field = page.getByRole("searchbox", { name: "Find in this transcript" });
  await page.keyboard.press("/");
  await field.fill("The Needle");
  await page.locator(".ln.hit", { hasText: "the needle.ts" }).waitFor();
  await page.getByText("1 of 1", { exact: true }).waitFor();
  await expect.poll(() => isInView(page, "the needle.ts")).toBe(true);
  await page.getByRole("button", { name: "To the end" }).click();
  await page.getByText("the last word").waitFor();
  await page.getByText("Ended by itself").waitFor();
  await field.fill("file15000");
  await page.locator(".ln.hit", { hasText: "file15000" }).waitFor();
  await page.getByRole("button", { name: "To the start" }).click();
  await page.getByText("nothing 0 words").waitFor();
  expectQuiet(view);
  await view.close();
});

it("an address leads to a line, and each time is such an address", async () => {
  const files = changeFiles("file", 3000);
  const offsets = await writeTranscript(user, firstRun(task), files);
  const { page, close } = await openView(browser, user, address(`&line=${offsets[2000]}`));
  const hit = page.locator(".ln.hit");
  await hit.getByText("file2000.ts").waitFor();
  await expect.poll(() => isInView(page, "file2000.ts")).toBe(true);
  await page.locator(".ln", { hasText: "file2002.ts" }).getByRole("link").click();
  await hit.getByText("file2002.ts").waitFor();
  expect(new URL(page.url()).searchParams.get("line")).toBe(String(offsets[2002]));
  await close();
});

it("reading on in both directions adds the lines before and after without gaps", async () => {
  const files = Array.from({ length: 20_000 }, (_, index) => ({
    type: "file_change",
    path: `file${index}.ts`,
    change: "modified",
  }));
  const offsets = await writeTranscript(user, firstRun(task), files);
  const { page, close } = await openView(browser, user, address(`&line=${offsets[10_000]}`));
  await page.locator(".ln.hit").getByText("file10000.ts").waitFor();
  // Up to the start of what was read, where earlier pages are added.
  for (const direction of [-1, 1]) {
    for (let step = 0; step < 60; step += 1) await page.mouse.wheel(0, direction * 700);
    await page.locator(".entries .ln").first().waitFor();
  }
  const order = (await page.locator(".entries .ln code").allInnerTexts()).map((text) => Number(text.match(/\d+/)?.[0]));
  expect(order.length).toBeGreaterThan(10);
  expect(order).toEqual(order.map((_, index) => (order[0] ?? 0) + index));
  await close();
});

it("a run that the task does not have says so, and the runs of the task are links", async () => {
  const { page, close } = await openView(browser, user, `/tasks/${task.id}/transcript?run=zzzz`);
  await page.getByText("This task has no such run").waitFor();
  await page.goto(user.url + address());
  const runs = page.getByRole("navigation", { name: "Runs" });
  await runs.getByRole("link", { name: /checks/ }).click();
  await page.getByText("Checks print to logs").waitFor();
  expect(await runs.locator("[aria-current]").innerText()).toContain("checks");
  await close();
});

it("a live transcript follows the end until a person scrolls up, counts what is new, and follows again", async () => {
  await rm(join(gates, "one"));
  await rm(join(gates, "two"));
  const live = await submitTask(user, "Live", ({ runs }) => runs.some(({ status }) => status === "running"));
  const view = await openView(browser, user, `/tasks/${live.id}/transcript`);
  const { page } = view;
  await page.getByText("early60").waitFor();
  await expect.poll(() => isInView(page, "early60")).toBe(true);
  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, -600);
  await page.getByRole("button", { name: "Follow the end" }).waitFor();
  await open("one");
  await page.getByRole("button", { name: "12 new lines" }).waitFor();
  await expect.poll(() => isInView(page, "late12")).toBe(false);
  await page.keyboard.press(".");
  await page.getByText("late12").waitFor();
  await expect.poll(() => isInView(page, "late12")).toBe(true);
  await open("two");
  await page.getByText("Ended by itself, exit code 0.").waitFor();
  expect(await page.getByText("scripted reported implemented").count()).toBe(1);
  expectQuiet(view);
  await view.close();
});
