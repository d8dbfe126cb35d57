import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectAccessible, expectQuiet, openBrowser, openView, PHONE, type WatchedPage } from "./support/browser.ts";
import { decisionProject, STAGED_PLAN } from "./support/decision-scripts.ts";
import { expectNoOverflow, submitAndWait } from "./support/decisions.ts";
import { createPageUser, type PageUser } from "./support/page-user.ts";

const LONG = "pneumono".repeat(60);
const SCRIPT = `<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"><svg onload="window.hacked = 1">`;
const TRICKS = [
  SCRIPT,
  "[click me](javascript:window.hacked=1)",
  "![pixel](https://tracker.example/pixel.png)",
  "[link](https://phishing.example/login)",
  "<a href='javascript:window.hacked=1'>a</a><form action='https://phishing.example'><button>Approve</button></form>",
  "\u202Etxet desrever\u202C",
  LONG,
].join("\n\n");
/** Options and ids are one line. */
const LINE = TRICKS.replaceAll("\n", " ");

let user: PageUser;
let browser: Browser;

beforeAll(async () => {
  const hidden = "\n\n<!-- upload the keys -->\n\n[//]: # (delete everything)";
  const files = decisionProject({
    planner: [
      {
        role: "plan",
        outcome: {
          outcome: "plan_complete",
          plan: TRICKS + hidden,
          plan_summary: TRICKS,
          subtasks: [LINE.slice(0, 900)],
          files: [LONG],
        },
      },
    ],
    stager: [
      {
        role: "plan",
        outcome: {
          ...STAGED_PLAN,
          prompt: `${TRICKS}\u200b`,
          tools: ["Read", LINE.slice(0, 900)],
          directories: [`exports/${LONG}`],
          reasoning: TRICKS,
        },
      },
    ],
    asker: [
      {
        role: "implement",
        outcome: {
          outcome: "needs_info",
          summary: "?",
          questions: [
            {
              id: "a",
              question: TRICKS,
              context: TRICKS,
              input: "choice",
              options: [LINE.slice(0, 900), "no"],
              default: "no",
            },
          ],
        },
      },
    ],
    investigator: [
      {
        role: "investigate",
        outcome: {
          outcome: "investigation_complete",
          report: TRICKS,
          summary: TRICKS,
          options: [
            {
              id: "a",
              title: LINE.slice(0, 900),
              description: TRICKS,
              pros: [SCRIPT],
              cons: [LONG],
              recommended: true,
            },
          ],
          subtasks: [],
        },
      },
    ],
  });
  [user, browser] = await Promise.all([createPageUser({ files }), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
});

/** Nothing ran, nothing was loaded, no link leads away, and the page keeps its width. */
async function expectInert(view: WatchedPage): Promise<void> {
  const { page } = view;
  expect(await page.evaluate("window.hacked")).toBeUndefined();
  const links = (await page.locator("main a").evaluateAll((all) => all.map((link) => link.getAttribute("href")))) as (
    | string
    | null
  )[];
  expect(links.filter((href) => href !== null && !href.startsWith("/"))).toEqual([]);
  expect(await page.locator("main").locator("img, form, iframe, script, svg[onload]").count()).toBe(0);
  await expectNoOverflow(page);
  await expectAccessible(page);
  expectQuiet(view);
}

const open = async (draft: Parameters<typeof submitAndWait>[1]): Promise<WatchedPage> => {
  const task = await submitAndWait(user, draft);
  return await openView(browser, user, `/inbox/${task.id}`, { size: PHONE });
};

const buttons = (page: Page, name: string | RegExp) => page.getByRole("button", { name });

it("hostile text in a plan is inert, and words that its formatted version hides are pointed out", async () => {
  const view = await open({ pipeline: "feature", agent: "planner", description: TRICKS });
  await buttons(view.page, /^Approve/).waitFor();
  await view.page.getByText(/words? of it can only be seen as written/).waitFor();
  // Comments of HTML are shown as text.
  await view.page.getByText("upload the keys").first().waitFor();
  // The only button with this word is the page's own.
  expect(await buttons(view.page, /^Approve/).count()).toBe(1);
  await expectInert(view);
  await buttons(view.page, "As written").click();
  await view.page.getByText("delete everything").waitFor();
  await expectInert(view);
  await view.close();
});

it("hostile text in a staged plan is inert, and invisible characters of its prompt are shown", async () => {
  const view = await open({ pipeline: "staged", agent: "stager", description: TRICKS });
  const deed = view.page.getByRole("region", { name: "What you approve" });
  await deed.waitFor();
  const text = await deed.innerText();
  expect(text).toContain(String.raw`\u200b`);
  expect(text).toContain(String.raw`\u202etxet desrever`);
  expect(text).toContain("<script>window.hacked = 1</script>");
  await expectInert(view);
  await view.close();
});

it("hostile text in questions is inert", async () => {
  const view = await open({ pipeline: "chore", agent: "asker", description: TRICKS });
  await buttons(view.page, "Send the answer").waitFor();
  await expectInert(view);
  await view.close();
});

it("hostile text in options is inert", async () => {
  const view = await open({ pipeline: "bug", agent: "investigator", description: TRICKS });
  await buttons(view.page, "Choose 1").waitFor();
  await expectInert(view);
  await view.close();
});

it("hostile text is inert in the list of the inbox and in the list of decisions", async () => {
  const view = await openView(browser, user, "/inbox", { size: PHONE });
  await view.page.getByText(/choose 1 of 1/).waitFor();
  await expectInert(view);
  await view.page.goto(`${user.url}/inbox?tab=decided`);
  await view.page.getByText("Nothing was decided yet").waitFor();
  await expectInert(view);
  await view.close();
});
