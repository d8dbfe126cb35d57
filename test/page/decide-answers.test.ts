import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { expectAccessible, expectQuiet, openBrowser, openView, PHONE } from "./support/browser.ts";
import { decisionProject, questions } from "./support/decision-scripts.ts";
import { addPerson, expectNoOverflow, reconnect, submitAndWait, waitForTask } from "./support/decisions.ts";
import { createPageUser, type PageUser } from "./support/page-user.ts";

const WHO = { id: "who", question: "Who signs off the change?", input: "text" };
const done = {
  role: "implement",
  files: { "notes.txt": "more\n" },
  outcome: { outcome: "implemented", summary: "Done." },
};

let user: PageUser;
let browser: Browser;

beforeAll(async () => {
  const asked = questions(new Date(Date.now() + 3_600_000).toISOString());
  const overdue = questions(new Date(Date.now() - 3_600_000).toISOString());
  const files = decisionProject({
    // The first two questions have a default and a deadline, the third has none.
    stuck: [{ role: "implement", outcome: { ...asked, questions: [...(asked["questions"] as object[]), WHO] } }, done],
    hurried: [{ role: "implement", outcome: asked }, done],
    late: [{ role: "implement", outcome: overdue }, done],
  });
  [user, browser] = await Promise.all([createPageUser({ files }), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
});

const ask = (agent: string, description: string) =>
  submitAndWait(user, { pipeline: "chore", agent, description: `Round totals: ${description}` });

it("the defaults are preselected, and the answers go to the task with the person's name", async () => {
  const task = await ask("hurried", "defaults");
  const view = await openView(browser, user, `/inbox/${task.id}`);
  const { page } = view;
  await page.getByText(/^Until \d\d:\d\d/).waitFor();
  const first = page.getByRole("group", { name: "1. Which invoices get the new rounding?" });
  expect(await first.getByRole("radio", { name: "New ones only" }).isChecked()).toBe(true);
  expect(await first.innerText()).toMatch(/If nobody answers by \d\d:\d\d:\s+New ones only/);
  await first.getByRole("radio", { name: "All that are unpaid" }).check();
  await page.getByRole("group", { name: "2. May Money.round() change for every caller?" }).getByText("Yes").click();
  await page.getByRole("button", { name: "Send answers" }).click();
  const answered = await waitForTask(user.client, task.id, ({ conversation }) => conversation[0]?.reply != null);
  expect(answered.conversation[0]).toMatchObject({
    reply: { which: "All that are unpaid", callers: "yes" },
    assumed: [],
  });
  expectQuiet(view);
  await view.close();
});

it("partial answers are not sent: the question without a default gets an error and the focus", async () => {
  const task = await ask("stuck", "partial");
  const { page, close } = await openView(browser, user, `/inbox/${task.id}`);
  await page.getByText("Question 3 has no default.").waitFor();
  await page.getByText(/The task keeps waiting for you, also after/).waitFor();
  await page.keyboard.press("Control+Enter");
  const field = page.getByRole("textbox", { name: "3. Who signs off the change?" });
  await page.getByText("This question has no default, so it needs an answer.").waitFor();
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  expect(await field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  await expectAccessible(page);
  expect((await waitForTask(user.client, task.id, () => true)).conversation[0]?.reply).toBeNull();
  await field.fill("Anna");
  await page.keyboard.press("Control+Enter");
  const answered = await waitForTask(user.client, task.id, ({ conversation }) => conversation[0]?.reply != null);
  expect(answered.conversation[0]?.reply).toEqual({ which: "New ones only", callers: "no", who: "Anna" });
  await close();
});

it("typed answers survive a reload", async () => {
  const task = await ask("stuck", "reload");
  const { page, close } = await openView(browser, user, `/inbox/${task.id}`, { size: PHONE });
  const field = page.getByRole("textbox", { name: "3. Who signs off the change?" });
  await field.fill("Anna, from finance");
  await page.getByRole("radio", { name: "All that are unpaid" }).check();
  await page.reload();
  await expect.poll(() => field.inputValue()).toBe("Anna, from finance");
  expect(await page.getByRole("radio", { name: "All that are unpaid" }).isChecked()).toBe(true);
  await expectAccessible(page);
  await expectNoOverflow(page);
  await close();
});

it("if somebody else answers while the form is open, the form keeps the answers and says who it was", async () => {
  const task = await ask("stuck", "somebody else");
  const view = await openView(browser, user, `/inbox/${task.id}`);
  const { page } = view;
  const field = page.getByRole("textbox", { name: "3. Who signs off the change?" });
  await field.fill("Anna");
  const bob = await addPerson(user, "bob", ["approve"]);
  await bob.client.call("POST /tasks/:id/answer", { params: { id: task.id }, body: { answers: { who: "Bob" } } });
  await page.getByRole("alert").getByText("bob answered this").waitFor();
  await page.getByText("Your answers were not sent; they are still in the form.").waitFor();
  expect(await field.inputValue()).toBe("Anna");
  expect(await page.getByRole("button", { name: "Send answers" }).getAttribute("aria-disabled")).toBe("true");
  await page.keyboard.press("Control+Enter");
  await expectAccessible(page);
  const { decisions } = await user.client.call("GET /decisions", { query: { task: task.id } });
  expect(decisions.filter(({ kind }) => kind === "answered").map(({ by }) => by.name)).toEqual(["bob"]);
  expectQuiet(view);
  await view.close();
});

it("answers that were assumed at a deadline can be changed, and the task starts again from there", async () => {
  const { id } = await user.client.call("POST /tasks", {
    body: { project: "shop", pipeline: "chore", agent: "late", description: "Round totals: nobody answers" },
  });
  await waitForTask(user.client, id, ({ assumed, status }) => assumed.length === 2 && status === "succeeded");
  const { page, close } = await openView(browser, user, `/inbox/${id}`);
  const assumed = page.getByRole("region", { name: "Assumed, because nobody answered in time" });
  await assumed.getByText("Which invoices get the new rounding?").waitFor();
  await expectAccessible(page);
  await assumed.getByRole("button", { name: "Change…" }).first().click();
  await assumed.getByRole("radio", { name: "All that are unpaid" }).check();
  await assumed.getByRole("button", { name: "Change the answer" }).click();
  const changed = await waitForTask(user.client, id, ({ conversation }) => conversation[0]?.assumed.length === 1);
  expect(changed.conversation[0]?.reply).toMatchObject({ which: "All that are unpaid" });
  await close();
});

// The last test, because it restarts the daemon.
it("answers that are sent while the daemon is away are sent once, when it answers again and the person asked for it", async () => {
  const task = await ask("stuck", "restart");
  const { page, close } = await openView(browser, user, `/inbox/${task.id}`);
  await page.getByRole("textbox", { name: "3. Who signs off the change?" }).fill("Anna");
  await user.run("stop");
  await page.getByText("Nightshift does not answer since").waitFor();
  const send = page.getByRole("button", { name: "Send answers" });
  await send.click();
  await page.getByText("Nightshift did not answer.").waitFor();
  expect(await page.getByRole("textbox", { name: "3. Who signs off the change?" }).inputValue()).toBe("Anna");
  await send.click();
  await page.getByRole("button", { name: "Will send when Nightshift answers" }).waitFor();
  await user.run("start", "--port", new URL(user.url).port);
  const { client } = reconnect(user);
  await waitForTask(client, task.id, ({ conversation }) => conversation[0]?.reply?.["who"] === "Anna");
  const { decisions } = await client.call("GET /decisions", { query: { task: task.id } });
  expect(decisions.map(({ kind }) => kind)).toEqual(["answered"]);
  await close();
});
