import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TaskJson } from "../../src/http/client/client.ts";
import { pollUntil } from "../support/cli-user.ts";
import { DESKTOP, expectAccessible, expectQuiet, openBrowser, openView, PHONE } from "./support/browser.ts";
import type { PageUser } from "./support/page-user.ts";
import { createSceneUser, playFeature, settle, submitScene } from "./support/task-scenes.ts";

let user: PageUser;
let browser: Browser;
let feature: TaskJson;

beforeAll(async () => {
  [user, browser] = await Promise.all([createSceneUser(), openBrowser()]);
  feature = await playFeature(user);
}, 180_000);

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
});

const readTask = (id: string) => user.client.call("GET /tasks/:id", { params: { id } });

async function waitForStatus(id: string, status: TaskJson["status"]): Promise<void> {
  await pollUntil(
    () => readTask(id),
    (task) => task.status === status,
  );
}

/** Buttons are refused until the page knows who is signed in. */
async function pressWhenEnabled(button: Locator): Promise<void> {
  await expect.poll(() => button.isEnabled(), { timeout: 20_000 }).toBe(true);
  await button.press("Enter");
}

async function overflowOf(page: Page): Promise<number> {
  return (await page.evaluate("document.documentElement.scrollWidth - innerWidth")) as number;
}

for (const theme of ["light", "dark"] as const)
  for (const size of [DESKTOP, PHONE])
    it(`a task is accessible and quiet in the ${theme} theme at ${size.width} px`, async () => {
      const view = await openView(browser, user, `/tasks/${feature.id}`, { theme, size });
      await view.page.getByText("Waiting for you to merge").last().waitFor();
      await view.page.getByRole("heading", { name: "Not possible now" }).waitFor();
      await view.page.getByText("What you merge").waitFor();
      await expectAccessible(view.page);
      expect(await overflowOf(view.page)).toBeLessThanOrEqual(0);
      expectQuiet(view);
      await view.close();
    });

it("the path says which states a task took, its loops with their limits, and what comes next", async () => {
  const { page, close } = await openView(browser, user, `/tasks/${feature.id}`);
  const path = page.getByRole("img", { name: /^Path: planning, plan_review/ });
  await path.waitFor();
  const name = (await path.getAttribute("aria-label")) ?? "";
  expect(name).toContain("back to planning (revise)");
  expect(name).toContain("back to implementing (repair 1 of 3)");
  expect(name).toContain("back to implementing (review 1 of 3)");
  expect(name).toMatch(/now merging\. Next: done\.$/);
  expect(await path.getByText("repair 1 of 3").count()).toBe(1);
  await close();
});

it("on a phone the path is a line of words with counts", async () => {
  const { page, close } = await openView(browser, user, `/tasks/${feature.id}`, { size: PHONE });
  await page.getByText("implementing ×3").waitFor();
  expect(await page.getByText("checking ×3").isVisible()).toBe(true);
  expect(await page.getByRole("img", { name: /^Path:/ }).isVisible()).toBe(false);
  await close();
});

it("the timeline says who did what, with outcomes, checks, the words of agents, duration and cost", async () => {
  const { page, close } = await openView(browser, user, `/tasks/${feature.id}`);
  const lines = page.getByRole("listitem");
  const line = (text: string | RegExp) => lines.filter({ hasText: text }).first();
  await line("submitted the task").waitFor();
  expect(await line("asked for changes to plan").innerText()).toContain("No new table, we have jobs.");
  expect(await line("approved plan").innerText()).toContain("command line");
  expect(await line(/^.*implement by careful/).innerText()).toMatch(/implemented[\s\S]*\$0\.97/);
  const checks = await line("checks: test failed").innerText();
  expect(checks).toContain("lint fails on the base too");
  expect(checks).toContain("AssertionError: expected 5 attempts, got 6");
  expect(await line("review by careful").innerText()).toMatch(/changes_requested, 1 comment[\s\S]*careful wrote/);
  await line("Waiting for you to merge").waitFor();
  await close();
});

it("the facts name the branch, the commits, the subtasks, the limits used and what is not possible", async () => {
  const { page, close } = await openView(browser, user, `/tasks/${feature.id}`);
  const facts = page.getByRole("complementary", { name: "Facts" });
  await facts.getByText("review", { exact: true }).waitFor();
  const text = await facts.innerText();
  for (const words of ["webhooks", "high", feature.branch ?? "?", "Subtasks, 2 of 2 reported done", "$4.20 of $15.00"])
    expect(text).toContain(words);
  expect(text).toMatch(/Resume, retry, pause, kill: it waits for a person\./i);
  await close();
});

it("a task that another window changes is shown as it is now", async () => {
  const slow = await submitScene(user, { agent: "slow", pipeline: "chore", title: "Wait for an hour" });
  await waitForStatus(slow.id, "running");
  const { page, close } = await openView(browser, user, `/tasks/${slow.id}`);
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await user.client.call("POST /tasks/:id/pause", { params: { id: slow.id } });
  await page.getByRole("button", { name: "Resume" }).waitFor();
  await page.getByRole("listitem").filter({ hasText: "paused the task" }).waitFor();
  await user.client.call("POST /tasks/:id/kill", { params: { id: slow.id } });
  await page.getByRole("button", { name: "Retry…" }).waitFor();
  await expect.poll(() => page.getByRole("img", { name: /ended in/ }).count(), { timeout: 20_000 }).toBe(1);
  await close();
});

describe("actions", () => {
  it("pause, resume and cancel work by mouse, and cancelling says what is kept", async () => {
    const slow = await submitScene(user, { agent: "slow", pipeline: "chore", title: "Wait to be cancelled" });
    await waitForStatus(slow.id, "running");
    const view = await openView(browser, user, `/tasks/${slow.id}`);
    const { page } = view;
    await page.getByRole("button", { name: "Pause" }).click();
    await waitForStatus(slow.id, "paused");
    await page.getByRole("button", { name: "Resume" }).click();
    await waitForStatus(slow.id, "running");
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Cancel…" }).click();
    const dialog = page.getByRole("dialog", { name: /^Cancel “Wait to be cancelled”/ });
    expect(await dialog.innerText()).toContain("are kept");
    await dialog.getByRole("button", { name: "Keep it" }).click();
    expect((await readTask(slow.id)).status).toBe("running");
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Cancel…" }).click();
    await dialog.getByRole("button", { name: "Cancel the task" }).click();
    await waitForStatus(slow.id, "cancelled");
    await page.getByText("cancelled the task").waitFor();
    expectQuiet(view);
    await view.close();
  });

  it("retry works by keyboard alone, refuses nonsense at its field and keeps what was typed", async () => {
    const slow = await submitScene(user, { agent: "slow", pipeline: "chore", title: "Retry me" });
    await waitForStatus(slow.id, "running");
    await user.client.call("POST /tasks/:id/cancel", { params: { id: slow.id } });
    const { page, close } = await openView(browser, user, `/tasks/${slow.id}`);
    await pressWhenEnabled(page.getByRole("button", { name: "Retry…" }));
    const dialog = page.getByRole("dialog", { name: "Retry the task" });
    await dialog.getByLabel("Budget of the task, $").focus();
    await page.keyboard.type("lots");
    await dialog.getByRole("button", { name: "Retry the task" }).focus();
    await page.keyboard.press("Enter");
    await dialog.getByText("An amount in dollars above 0.").waitFor();
    expect((await readTask(slow.id)).status).toBe("cancelled");
    await expectAccessible(page);
    await dialog.getByLabel("Budget of the task, $").fill("2.50");
    await page.reload();
    await pressWhenEnabled(page.getByRole("button", { name: "Retry…" }));
    expect(await dialog.getByLabel("Budget of the task, $").inputValue()).toBe("2.50");
    await dialog.getByRole("button", { name: "Retry the task" }).press("Enter");
    await waitForStatus(slow.id, "running");
    expect((await readTask(slow.id)).options.budget_usd).toBe(2.5);
    await user.client.call("POST /tasks/:id/kill", { params: { id: slow.id } });
    await close();
  });

  it("the menu opens with the keyboard, says why something is not possible, and gives the focus back", async () => {
    const { page, close } = await openView(browser, user, `/tasks/${feature.id}`);
    const button = page.getByRole("button", { name: "More actions" });
    await button.press("Enter");
    const menu = page.getByRole("menu", { name: "More actions" });
    await menu.waitFor();
    const refused = menu.getByRole("menuitem", { name: "Apply the files…" });
    expect(await refused.getAttribute("aria-disabled")).toBe("true");
    expect(await refused.innerText()).toContain("it has not ended");
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    expect(await button.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await close();
  });

  it("a role runs on its own from the menu, and the task stays where it is", async () => {
    const before = (await readTask(feature.id)).runs.length;
    const { page, close } = await openView(browser, user, `/tasks/${feature.id}`);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Run a role…" }).click();
    const dialog = page.getByRole("dialog", { name: "Run a role" });
    await dialog.getByRole("radio", { name: /^Review/ }).check();
    await dialog.getByRole("button", { name: "Run review" }).click();
    await dialog.waitFor({ state: "detached" });
    await pollUntil(
      () => readTask(feature.id),
      (task) => task.runs.length > before && task.status === "waiting",
    );
    expect((await readTask(feature.id)).state).toBe("merging");
    await close();
  });

  it("the decision is made in place, with the button at the head leading to it from another tab", async () => {
    const asking = await submitScene(user, { agent: "asking", pipeline: "chore", title: "Greet somebody" });
    await settle(user, asking.id);
    const { page, close } = await openView(browser, user, `/tasks/${asking.id}/cost`);
    await page.getByRole("button", { name: "Answer the questions…" }).click();
    const turn = page.getByRole("region", { name: "Your turn" });
    await turn.getByText("Whom should it greet?").first().waitFor();
    expect(await page.evaluate("document.activeElement.id")).toBe("decide");
    await turn.getByRole("textbox").first().fill("everybody");
    await page.keyboard.press("Control+Enter");
    await settle(user, asking.id);
    const line = page.getByRole("listitem").filter({ hasText: "everybody" });
    await line.first().waitFor();
    await close();
  });
});

describe("addresses", () => {
  it("an id that nothing has is explained, and a tab that does not exist as well", async () => {
    const view = await openView(browser, user, "/tasks/zzzz");
    await view.page.getByRole("heading", { name: "No task starts with zzzz" }).waitFor();
    await view.page.goto(`${user.url}/tasks/${feature.id}/nonsense`);
    await view.page.getByText("A task has no tab named “nonsense”.").waitFor();
    expectQuiet(view);
    await view.close();
  });

  it("the keys 1 to 9 open the tabs", async () => {
    const { page, close } = await openView(browser, user, `/tasks/${feature.id}/cost`);
    await page.getByRole("heading", { name: feature.title, level: 1 }).waitFor();
    await page.keyboard.press("5");
    await page.waitForURL("**/checks");
    await page.getByRole("region", { name: "Checks by commit" }).waitFor();
    expect(await page.getByRole("link", { name: /^Checks/ }).getAttribute("aria-current")).toBe("page");
    await close();
  });

  it("a task that is deleted under the open page says so and what is kept", async () => {
    const gone = await submitScene(user, { agent: "slow", pipeline: "chore", title: "Delete me" });
    await user.client.call("POST /tasks/:id/kill", { params: { id: gone.id } });
    const { page, close } = await openView(browser, user, `/tasks/${gone.id}`);
    await page.getByRole("heading", { name: "Delete me" }).waitFor();
    await user.client.call("DELETE /tasks/:id", { params: { id: gone.id } });
    await page.getByRole("heading", { name: "This task was deleted" }).waitFor();
    expect(await page.getByText("Delete me").count()).toBe(1);
    await close();
  });
});
