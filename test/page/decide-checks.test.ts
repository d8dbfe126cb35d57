import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectAccessible, expectQuiet, openBrowser, openView, PHONE } from "./support/browser.ts";
import { decisionProject } from "./support/decision-scripts.ts";
import { expectNoOverflow, submitAndWait, waitForTask } from "./support/decisions.ts";
import { createPageUser, type PageUser } from "./support/page-user.ts";

let user: PageUser;
let browser: Browser;

beforeAll(async () => {
  // The check also fails without the change, so it says nothing about it.
  [user, browser] = await Promise.all([createPageUser({ files: decisionProject({}, "false") }), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
});

it("a change that the checks do not vouch for is published only with a reason, and nothing is preselected", async () => {
  const task = await submitAndWait(user, {
    pipeline: "feature",
    agent: "planner",
    auto_approve: true,
    description: "Export failed payments",
  });
  expect(task.waiting_for).toMatchObject({ kind: "choice", about: "checks" });
  const view = await openView(browser, user, `/inbox/${task.id}`, { size: PHONE });
  const { page } = view;
  await page.getByRole("heading", { name: "Why you are asked" }).waitFor();
  const choose = page.getByRole("button", { name: /^Choose/ });
  expect(await choose.getAttribute("aria-disabled")).toBe("true");
  await expectAccessible(page);
  await expectNoOverflow(page);
  await page.getByRole("radio", { name: /^Publish it anyway/ }).check();
  await page.getByRole("button", { name: "Choose 1" }).click();
  const note = page.getByRole("textbox", { name: "Note to the agent needed" });
  await page.getByText("Say why. The change request shows it.").waitFor();
  expect((await waitForTask(user.client, task.id, () => true)).status).toBe("waiting");
  await note.fill("The check is broken on main, too.");
  await page.reload();
  await expect.poll(() => note.inputValue()).toBe("The check is broken on main, too.");
  await page.getByRole("button", { name: "Choose 1" }).click();
  const chosen = await waitForTask(user.client, task.id, ({ conversation }) => conversation.at(-1)?.reply != null);
  expect(chosen.conversation.at(-1)?.reply).toMatchObject({
    option: "publish",
    note: "The check is broken on main, too.",
  });
  expectQuiet(view);
  await view.close();
});
