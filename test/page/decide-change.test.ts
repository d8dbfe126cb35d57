import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { shortHash } from "../../src/core/text/short-hash.ts";
import { DESKTOP, expectAccessible, expectQuiet, openBrowser, openView, PHONE } from "./support/browser.ts";
import { CHANGE, decisionProject } from "./support/decision-scripts.ts";
import { expectNoOverflow, submitAndWait, waitForTask } from "./support/decisions.ts";
import { createPageUser, type PageUser } from "./support/page-user.ts";

let user: PageUser;
let browser: Browser;

const OBJECTION = {
  role: "review",
  outcome: {
    outcome: "changes_requested",
    summary: "The file has the wrong name.",
    comments: [{ file: "notes.txt", line: 1, severity: "critical", comment: "Name it payments.txt." }],
  },
};

beforeAll(async () => {
  // The reviewer never agrees, so a person decides in the end.
  const files = decisionProject({
    stubborn: [
      {
        role: "plan",
        outcome: { outcome: "plan_complete", plan: "Write it.", plan_summary: "Write it.", subtasks: [] },
      },
      ...CHANGE,
      OBJECTION,
    ],
  });
  [user, browser] = await Promise.all([createPageUser({ files }), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
});

const bug = (description: string) =>
  submitAndWait(user, { pipeline: "bug", agent: "investigator", description: `Coupon applied twice: ${description}` });
const change = (description: string, agent = "planner") =>
  submitAndWait(user, {
    pipeline: "feature",
    agent,
    auto_approve: true,
    description: `Remove the formatter: ${description}`,
  });

it("one of several fixes is chosen with the keyboard alone, with a note", async () => {
  const task = await bug("keyboard");
  const view = await openView(browser, user, `/inbox/${task.id}`);
  const { page } = view;
  await page.getByText("investigator wrote, as its summary").waitFor();
  expect(await page.getByRole("radio", { name: /^One discount line/ }).isChecked()).toBe(true);
  await page.getByText("recommended by the agent").waitFor();
  expect(await page.getByRole("listitem").allInnerTexts()).toEqual(
    expect.arrayContaining([
      expect.stringContaining("Holds whatever the page does"),
      expect.stringContaining("Needs a migration"),
    ]),
  );
  await page.keyboard.press("2");
  expect(await page.getByRole("radio", { name: /^Stop the page/ }).isChecked()).toBe(true);
  await page.getByRole("button", { name: "Choose 2" }).waitFor();
  await page.getByRole("radio", { name: "Implement it directly" }).focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("Tab");
  await page.keyboard.type("Two files are enough.");
  await expectAccessible(page);
  await page.keyboard.press("Control+Enter");
  const chosen = await waitForTask(user.client, task.id, ({ conversation }) => conversation[0]?.reply != null);
  expect(chosen.conversation[0]?.reply).toMatchObject({
    option: "page",
    note: "Two files are enough.",
    then: "implement",
  });
  expectQuiet(view);
  await view.close();
});

for (const size of [DESKTOP, PHONE]) {
  it(`the facts about a change are accessible at ${size.width} px in the dark theme`, async () => {
    const task = await change(String(size.width));
    const view = await openView(browser, user, `/inbox/${task.id}`, { size, theme: "dark" });
    const facts = view.page.getByRole("region", { name: "What you merge" });
    await facts.getByText("Low risk").waitFor();
    const text = await facts.innerText();
    for (const part of [
      shortHash(task.head_commit ?? ""),
      "1 file",
      "About 1 min",
      "The review approved this commit.",
      "no-secrets",
    ])
      expect(text).toContain(part);
    await expectAccessible(view.page);
    await expectNoOverflow(view.page);
    expectQuiet(view);
    await view.close();
  });
}

it("a reviewed change is merged without a forge, by one key", async () => {
  const task = await change("merge");
  const view = await openView(browser, user, `/inbox/${task.id}`);
  const { page } = view;
  await page.getByRole("button", { name: `Merge ${shortHash(task.head_commit ?? "")}` }).waitFor();
  await page.keyboard.press("m");
  await waitForTask(user.client, task.id, ({ outcome }) => outcome === "merged");
  await page.getByRole("status").getByText(`Merged: ${task.title}`).waitFor();
  expectQuiet(view);
  await view.close();
});

// Three rounds of review take some time.
it(
  "a change that the review did not approve needs a note, which is kept over a reload",
  { timeout: 180_000 },
  async () => {
    const task = await change("objection", "stubborn");
    const { page, close } = await openView(browser, user, `/inbox/${task.id}`);
    await page.getByText("The review did not approve this commit.").waitFor();
    await page.getByText("Name it payments.txt.").waitFor();
    const note = page.getByLabel(/^Why do you merge it although/);
    await note.waitFor();
    await page.getByRole("button", { name: /^Merge / }).click();
    await page.getByText("Say why it is merged anyway.").waitFor();
    expect(await note.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await note.fill("The name is right.");
    await page.reload();
    await expect.poll(() => note.inputValue()).toBe("The name is right.");
    await expectAccessible(page);
    await page.getByRole("button", { name: /^Merge / }).click();
    await waitForTask(user.client, task.id, ({ outcome }) => outcome === "merged");
    const { decisions } = await user.client.call("GET /decisions", { query: { task: task.id } });
    expect(decisions[0]?.summary).toContain("The name is right.");
    await close();
  },
);

it("a person asks for changes to a change, and the task goes back to its agent", async () => {
  const task = await change("again");
  const { page, close } = await openView(browser, user, `/inbox/${task.id}`);
  await page.getByRole("button", { name: "Ask for changes…" }).click();
  await page.getByLabel("What should be different?").fill("Write more.");
  await page.getByRole("button", { name: "Ask for changes" }).click();
  const again = await waitForTask(
    user.client,
    task.id,
    ({ status, head_commit: head }) => status === "waiting" && head !== task.head_commit,
  );
  expect(again.context.some(({ summary }) => summary.includes("Write more."))).toBe(true);
  await close();
});

it("a change is rejected with a reason", async () => {
  const task = await change("reject");
  const { page, close } = await openView(browser, user, `/inbox/${task.id}`);
  await page.getByRole("button", { name: "Reject…" }).click();
  await page.getByRole("dialog").getByText("Its branch stays on the remote.").waitFor();
  await page.getByRole("dialog").getByLabel("Reason").fill("Not needed.");
  await page.getByRole("button", { name: "Reject the change" }).click();
  const ended = await waitForTask(user.client, task.id, ({ status }) => status === "cancelled");
  expect(ended.reason).toContain("Not needed.");
  await close();
});
