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
  type ViewOptions,
} from "./support/browser.ts";
import { signIn } from "../support/sign-in.ts";
import { createReviewedChange, HOSTILE, type ReviewedChange } from "./support/reviewed-change.ts";

let change: ReviewedChange;
let browser: Browser;

beforeAll(async () => {
  [change, browser] = await Promise.all([createReviewedChange(), openBrowser()]);
}, 180_000);

afterAll(async () => {
  await browser.close();
  await change.user.cleanUp();
});

const BACKOFF = "src/webhooks/backoff.ts";

async function openDiff(search = "", options: ViewOptions = {}) {
  const view = await openView(browser, change.user, `/tasks/${change.task.id}/diff${search}`, options);
  await view.page.getByRole("navigation", { name: "Files" }).waitFor();
  return view;
}

function lineButton(page: Page, line: number, path = BACKOFF) {
  return page.getByRole("button", { name: `Comment on line ${line} of ${path}`, exact: true });
}

async function showFile(page: Page, name: RegExp): Promise<void> {
  await page.getByRole("navigation", { name: "Files" }).getByRole("button", { name }).click();
}

/** The bar with the comments covers a part of what is behind it, so the whole page is looked at from its end. */
async function expectAccessibleAtEnd(page: Page): Promise<void> {
  await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
  await page.getByRole("textbox", { name: "About the change as a whole" }).waitFor();
  await expectAccessible(page);
}

function textOf(page: Page): Promise<string> {
  return page.locator("main").innerText();
}

for (const theme of ["light", "dark"] as const) {
  for (const size of [DESKTOP, PHONE]) {
    it(`the diff is accessible, quiet and fits in the ${theme} theme at ${size.width} px`, async () => {
      const view = await openDiff(`?file=${BACKOFF}&line=6`, { theme, size });
      await view.page.getByRole("article", { name: "Comment by scripted" }).first().waitFor();
      // The colours arrive after the text.
      await view.page.locator(".cd .k").first().waitFor();
      await expectAccessible(view.page);
      await expectNoOverflow(view.page);
      expectQuiet(view);
      await view.close();
    });
  }
}

it("the head says what the change is, and whose verdict holds for exactly this commit", async () => {
  const { page, close } = await openDiff();
  const text = await textOf(page);
  const { head_commit: head, base_commit: base } = change.task;
  for (const part of ["in 10 files", "about", "High risk", "contains a binary file", "scripted approved this commit"])
    expect(text).toContain(part);
  expect(text).toContain(base?.slice(0, 12));
  expect(text).toContain(head?.slice(0, 12));
  await close();
});

it("findings and comments are at their line, with what the author did", async () => {
  const { page, close } = await openDiff();
  await page.getByText("This file was made executable.").waitFor();
  await page.getByText("A binary file. Its content is not shown.").waitFor();
  await showFile(page, /^backoff\.ts/);
  const comment = page.getByRole("article", { name: "Comment by scripted" }).filter({ hasText: "Clamp before" });
  await comment.waitFor();
  expect(await comment.innerText()).toMatch(/suggestion, review 1/);
  expect(await comment.innerText()).toContain("Clamped before the jitter.");
  expect(await comment.innerText()).toContain("<script>alert(1)</script>");
  expect(await comment.locator("script").count()).toBe(0);
  const [line, below] = await Promise.all([lineButton(page, 6).boundingBox(), comment.boundingBox()]);
  expect(below?.y).toBeGreaterThan(line?.y ?? Infinity);
  await close();
});

it("moved, deleted and binary files say what they are, and a viewed file stays folded after a reload", async () => {
  const { page, close } = await openDiff();
  await showFile(page, /^webhooks\.md/);
  await page.getByText("Moved without a change.").waitFor();
  await page.getByRole("heading", { name: "docs/webhooks.md was moved to docs/guides/webhooks.md" }).waitFor();
  await page.getByRole("checkbox", { name: /^Viewed\s*: docs\/guides\/webhooks\.md$/ }).check();
  await page.getByText("Moved without a change.").waitFor({ state: "detached" });
  await page.getByText("10 files, 1 viewed").waitFor();
  await page.reload();
  await page.getByText("10 files, 1 viewed").waitFor();
  await showFile(page, /^old\.ts/);
  const head = page.locator(".file-head", { hasText: "src/webhooks/old.ts" });
  await expect.poll(() => head.innerText()).toContain("deleted");
  await close();
});

it("hostile names and content are shown as text", async () => {
  const view = await openDiff();
  const { page } = view;
  await showFile(page, /^<script>alert/);
  await page.getByRole("heading", { name: HOSTILE.script }).waitFor();
  await page.getByText("<script>document.title = 'owned'</script>").waitFor();
  await page.getByText("<U+202E> } if (isAdmin) begin <U+2066>").waitFor();
  await page.getByText("<U+001B>[31mred").waitFor();
  await showFile(page, /^"quoted" 'name'\.ts/);
  await page.getByRole("heading", { name: HOSTILE.quotes }).waitFor();
  await showFile(page, /^<U\+202E>txt\.exe\.ts/);
  await page.getByRole("heading", { name: "src/<U+202E>txt.exe.ts" }).waitFor();
  await showFile(page, /^very-long-name/);
  await page.getByRole("heading", { name: HOSTILE.long }).waitFor();
  await expectNoOverflow(page);
  expect(await page.title()).not.toBe("owned");
  expectQuiet(view);
  await view.close();
});

it("two columns show what was there and what is there now; a phone has one", async () => {
  const wide = await openDiff("?file=src/webhooks/retry-queue.ts");
  await wide.page.getByRole("button", { name: "Split" }).click();
  await wide.page.waitForURL("**layout=split**");
  await showFile(wide.page, /^retry-queue/);
  const row = wide.page.locator(".dl-split", { hasText: "delayBefore(1)" });
  await row.waitFor();
  expect(await row.innerText()).toMatch(/step20 = 20;[\s\S]*step20 = delayBefore\(1\);/);
  expect(await row.locator("b").allInnerTexts()).toEqual(["20", "delayBefore(1)"]);
  await expectAccessible(wide.page);
  await wide.close();
  const narrow = await openDiff("?file=src/webhooks/retry-queue.ts&layout=split", { size: PHONE });
  await narrow.page.locator(".dl-code", { hasText: "delayBefore(1)" }).waitFor();
  expect(await narrow.page.locator(".dl-split").count()).toBe(0);
  expect(await narrow.page.getByRole("group", { name: "Layout" }).count()).toBe(0);
  await narrow.close();
});

it("the keyboard alone goes through files, findings and lines, and starts a comment", async () => {
  const { page, close } = await openDiff();
  await page.getByRole("heading", { name: "logo.png" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("backoff");
  await page.keyboard.press("Enter");
  await lineButton(page, 1).waitFor();
  await page.keyboard.press("Escape");
  await lineButton(page, 1).focus();
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => page.evaluate("document.activeElement.dataset.line")).toBe("2");
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => page.evaluate("document.activeElement.dataset.line")).toBe("1");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Comment", exact: true }).waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
  await page.keyboard.press("Escape");
  await page.getByRole("textbox", { name: "Comment", exact: true }).waitFor({ state: "detached" });
  await page.evaluate("document.activeElement.blur(); scrollTo(0, 0)");
  await page.keyboard.press("n");
  await page.keyboard.press("n");
  await page.keyboard.press("n");
  await expect.poll(() => page.getByText("This file was made executable.").isVisible()).toBe(true);
  await close();
});

it("a person without the right sees why comments are not possible", async () => {
  const { user, task } = change;
  const { token } = await user.client.call("POST /tokens", { body: { name: "reader", rights: ["submit"] } });
  const context = await browser.newContext({ viewport: DESKTOP });
  await context.addCookies([await signIn({ url: user.url, token })]);
  const page = await context.newPage();
  await page.goto(`${user.url}/tasks/${task.id}/diff`);
  await page.getByText('Commenting on a change needs the right "approve"; reader may submit.').first().waitFor();
  expect(await lineButton(page, 1).count()).toBe(0);
  await context.close();
});

// From here on, each test changes the task.

it("comments survive a reload, are sent as one review, worked on, and the second look shows what changed since", async () => {
  const view = await openDiff(`?file=${BACKOFF}`);
  const { page } = view;
  await lineButton(page, 7).click();
  await page.keyboard.type("Take the share from the settings.");
  await page.getByRole("combobox", { name: "How important it is" }).selectOption("critical");
  await page.getByRole("button", { name: "Add to review" }).click();
  await lineButton(page, 1).click();
  await page.keyboard.type("Half of it");
  await page.reload();
  await page.getByText("2 comments not sent").waitFor();
  expect(await page.getByRole("textbox", { name: "Comment", exact: true }).inputValue()).toBe("Half of it");
  await expectAccessibleAtEnd(page);
  await page.keyboard.press("Home");
  await showFile(page, /^backoff\.ts/);
  await page
    .getByRole("region", { name: `Your comment on line 1 of ${BACKOFF}` })
    .getByRole("button", { name: "Discard" })
    .click();
  await page.getByRole("textbox", { name: "About the change as a whole" }).fill("Almost.");
  await page.getByRole("button", { name: "Send 1 comment: scripted works on it" }).click();
  await page.getByText("1 comment not sent").waitFor({ state: "detached" });
  change = { ...change, task: await change.waitForNewCommit(change.task.head_commit) };
  expect(change.task.reviews.find(({ by }) => by !== null)).toMatchObject({
    verdict: "changes_requested",
    summary: "Almost.",
    comments: [{ file: BACKOFF, line: 7, severity: "critical", answer: "It comes from the settings now." }],
  });
  // Only what changed since the person's review.
  await page.getByText("in 1 file").waitFor();
  await page.getByText("SHARE", { exact: true }).waitFor();
  const mine = page.getByRole("article", { name: /^Comment by / }).filter({ hasText: "Take the share" });
  await mine.getByText("It comes from the settings now.").waitFor();
  expect(await page.getByRole("link", { name: "Since last review" }).getAttribute("aria-current")).toBe("true");
  await page.getByRole("link", { name: "Whole change" }).click();
  await page.getByText("in 10 files").waitFor();
  expectQuiet(view);
  await view.close();
});

it("a change that moves on while a person comments keeps the comments and sends nothing", async () => {
  const { user, task } = change;
  const view = await openDiff(`?since=base&file=${BACKOFF}`);
  const { page } = view;
  await lineButton(page, 5).click();
  await page.keyboard.type("Name the unit.");
  await page.getByText("1 comment not sent").waitFor();
  await user.client.call("POST /tasks/:id/comments", {
    params: { id: task.id },
    body: { commit: task.head_commit ?? "", summary: "Halve it." },
  });
  change = { ...change, task: await change.waitForNewCommit(task.head_commit) };
  await page.getByText("The change moved on while you commented.").waitFor();
  expect(await page.getByRole("textbox", { name: "Comment", exact: true }).inputValue()).toBe("Name the unit.");
  const send = page.getByRole("button", { name: /^Send 1 comment/ });
  expect(await send.getAttribute("aria-disabled")).toBe("true");
  await expectAccessibleAtEnd(page);
  await showFile(page, /^backoff\.ts/);

  // The page may not know yet that the change moved on; then the daemon refuses.
  await page.getByRole("button", { name: `Keep them for ${change.task.head_commit?.slice(0, 12)}` }).click();
  await page.route("**/comments", (route) =>
    route.continue({
      postData: JSON.stringify({ ...(route.request().postDataJSON() as object), commit: task.head_commit }),
    }),
  );
  const answered = page.waitForResponse((response) => response.url().endsWith("/comments"));
  await send.click();
  expect((await answered).status()).toBe(409);
  await page.getByText("moved on since it was shown").waitFor();
  expect(await page.getByRole("textbox", { name: "Comment", exact: true }).inputValue()).toBe("Name the unit.");
  await view.close();
});

it("a task without a change says so", async () => {
  const { user } = change;
  const { id } = await user.client.call("POST /tasks", {
    body: { project: "shop", pipeline: "chore", description: "Later", after: [change.task.id] },
  });
  const view = await openView(browser, user, `/tasks/${id}/diff`);
  await view.page.getByRole("heading", { name: "No run has left a change yet" }).waitFor();
  expectQuiet(view);
  await view.close();
});
