import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { shortHash } from "../../src/core/text/short-hash.ts";
import { DESKTOP, expectAccessible, expectQuiet, openBrowser, openView, PHONE } from "./support/browser.ts";
import { decisionProject, STAGED_PLAN } from "./support/decision-scripts.ts";
import { addPerson, expectNoOverflow, submitAndWait, waitForTask } from "./support/decisions.ts";
import { createPageUser, type PageUser } from "./support/page-user.ts";

let user: PageUser;
let browser: Browser;

/** Asks for a host that the project does not allow. */
const GREEDY = [
  { role: "plan", outcome: { ...STAGED_PLAN, network: ["files.example.com"] } },
  { role: "execute", outcome: { outcome: "completed", summary: "Done.", result: "Done." } },
];

beforeAll(async () => {
  [user, browser] = await Promise.all([createPageUser({ files: decisionProject({ greedy: GREEDY }) }), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
});

const feature = (description: string) =>
  submitAndWait(user, { pipeline: "feature", agent: "planner", description: `Export payments: ${description}` });
const staged = (description: string) =>
  submitAndWait(user, { pipeline: "staged", agent: "stager", description: `Count payments: ${description}` });

it("a plan is approved with the hash that the button shows, and the next decision opens", async () => {
  const [task, next] = [await feature("approve"), await staged("next")];
  const view = await openView(browser, user, `/inbox/${task.id}`);
  const { page } = view;
  const hash = shortHash(task.plan_hash ?? "");
  await page.getByRole("region", { name: "What you approve" }).getByText(`plan ${hash}`).waitFor();
  await page.getByText("planner wrote").first().waitFor();
  await page.getByRole("button", { name: `Approve ${hash}` }).click();
  await page.waitForURL(`**/inbox/${next.id}`);
  await page.getByRole("heading", { level: 1, name: next.title }).waitFor();
  const { decisions } = await user.client.call("GET /decisions", { query: { task: task.id } });
  expect(decisions.at(-1)).toMatchObject({ kind: "approved", plan_hash: task.plan_hash, via: "page" });
  expectQuiet(view);
  await view.close();
});

for (const size of [DESKTOP, PHONE]) {
  for (const theme of ["light", "dark"] as const) {
    it(`a staged plan shows everything that is signed, accessibly, at ${size.width} px in the ${theme} theme`, async () => {
      const task = await staged(`${size.width} ${theme}`);
      const view = await openView(browser, user, `/inbox/${task.id}`, { size, theme });
      const deed = view.page.getByRole("region", { name: "What you approve" });
      await deed.waitFor();
      const text = await deed.innerText();
      for (const part of ["Write nothing else.", "sqlite3", "exports", "Not needed", "15 min, $5.00", "40,000 tokens"])
        expect(text).toContain(part);
      await expectAccessible(view.page);
      await expectNoOverflow(view.page);
      // The actions are on the screen, wherever the plan ends.
      await expect.poll(() => view.page.getByRole("button", { name: /^Approve / }).isVisible()).toBe(true);
      const box = await view.page.getByRole("button", { name: /^Approve / }).boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(size.height);
      expectQuiet(view);
      await view.close();
    });
  }
}

it("a staged plan is edited and approved in one step, and the daemon's objections are shown", async () => {
  const task = await staged("edit");
  const { page, close } = await openView(browser, user, `/inbox/${task.id}`);
  await page.getByRole("button", { name: "Edit…" }).click();
  await page.getByLabel("Prompt", { exact: true }).fill("");
  await page.getByRole("button", { name: "Approve the edited plan" }).click();
  await page.getByText("The prompt is empty.").waitFor();
  await page.getByLabel("Prompt", { exact: true }).fill("Read the snapshot and count.");
  await page.getByLabel("May write", { exact: true }).fill(".git");
  await page.getByRole("button", { name: "Approve the edited plan" }).click();
  await page.getByText("is git's own data").waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Edit…" }).click();
  expect(await page.getByLabel("Prompt", { exact: true }).inputValue()).toBe("Read the snapshot and count.");
  await page.getByLabel("May write", { exact: true }).fill("counts");
  await page.getByRole("button", { name: "Approve the edited plan" }).click();
  const edited = await waitForTask(user.client, task.id, ({ status }) => status !== "waiting");
  expect(edited.plan).toMatchObject({ prompt: "Read the snapshot and count.", directories: ["counts"] });
  await close();
});

it("a plan that asks for what cannot be granted is approved only after it was edited", async () => {
  const task = await submitAndWait(user, { pipeline: "staged", agent: "greedy", description: "Fetch the payments" });
  const { page, close } = await openView(browser, user, `/inbox/${task.id}`);
  await page.getByText("The plan asks for what cannot be granted.").first().waitFor();
  await page.getByRole("alert").getByText("files.example.com").waitFor();
  expect(await page.getByRole("button", { name: /^Approve / }).getAttribute("aria-disabled")).toBe("true");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Edit…" }).click();
  await page.getByLabel("Network", { exact: true }).fill("");
  await page.keyboard.press("Control+Enter");
  const approved = await waitForTask(user.client, task.id, ({ status }) => status !== "waiting");
  expect(approved.plan).toMatchObject({ network: [] });
  await close();
});

it("a person asks for changes, and then sees what the new version changed and why", async () => {
  const task = await feature("revise");
  const { page, close } = await openView(browser, user, `/inbox/${task.id}`);
  await page.getByRole("button", { name: "Ask for changes…" }).waitFor();
  await page.keyboard.press("r");
  const field = page.getByLabel("What should be different in the plan?");
  await expect.poll(() => field.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  await page.keyboard.press("Control+Enter");
  await page.getByText("Write what should be different.").waitFor();
  await field.fill("Only Q3, please.");
  await page.keyboard.press("Control+Enter");
  await waitForTask(user.client, task.id, ({ documents }) => documents.length === 2);
  await page.goto(`${user.url}/inbox/${task.id}`);
  await page.getByText("What changed since version 1").waitFor();
  await page.getByText("Only Q3, please.").waitFor();
  const changes = page.getByRole("group", { name: "Changes since version 1" });
  const text = await changes.textContent();
  expect(text).toContain("removed: Export **failed** payments.");
  expect(text).toContain("added: Export **failed** payments of Q3.");
  await close();
});

it("a plan that changes while it is open is not approved before the person has seen the new one", async () => {
  const task = await staged("changes");
  const view = await openView(browser, user, `/inbox/${task.id}`);
  const { page } = view;
  const old = shortHash(task.plan_hash ?? "");
  await page.getByRole("button", { name: `Approve ${old}` }).waitFor();
  await user.client.call("POST /tasks/:id/revise", { params: { id: task.id }, body: { feedback: "Another name." } });
  const newer = await waitForTask(
    user.client,
    task.id,
    ({ documents, status }) => documents.length === 2 && status === "waiting",
  );
  const now = shortHash(newer.plan_hash ?? "");
  await page.getByText("The plan changed while you read it.").waitFor();
  expect(await page.getByText("Nothing was approved.").count()).toBe(1);
  const changes = page.getByRole("group", { name: "Changes of the plan" });
  await changes.waitFor();
  expect(await changes.textContent()).toContain("added: Write exports/q3.csv");
  const stale = page.getByRole("button", { name: `Approve ${old}` });
  expect(await stale.getAttribute("aria-disabled")).toBe("true");
  await page.keyboard.press("a");
  await page.keyboard.press("Control+Enter");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Show the new plan" }).click();
  await page.getByRole("button", { name: `Approve ${now}` }).waitFor();
  expect((await waitForTask(user.client, task.id, () => true)).status).toBe("waiting");
  await page.getByRole("button", { name: `Approve ${now}` }).click();
  await waitForTask(user.client, task.id, ({ status }) => status !== "waiting");
  expectQuiet(view);
  await view.close();
});

it("a hash that is out of date is refused by the daemon, and the page then shows the new version", async () => {
  const task = await staged("conflict");
  const { page, close } = await openView(browser, user, `/inbox/${task.id}`);
  const old = shortHash(task.plan_hash ?? "");
  await page.getByRole("button", { name: `Approve ${old}` }).waitFor();
  // The page does not hear of the change before it sends the approval.
  const answered = Promise.withResolvers<undefined>();
  await page.route("**/api/v1/tasks/**", async (route) => {
    if (route.request().method() === "GET") await answered.promise;
    await route.continue();
  });
  await user.client.call("POST /tasks/:id/revise", { params: { id: task.id }, body: { feedback: "Another name." } });
  await waitForTask(user.client, task.id, ({ documents, status }) => documents.length === 2 && status === "waiting");
  await page.getByRole("button", { name: `Approve ${old}` }).click();
  await page.getByText("It was not approved.").waitFor();
  answered.resolve(undefined);
  await page.getByText("The plan changed while you read it.").waitFor();
  expect((await waitForTask(user.client, task.id, () => true)).status).toBe("waiting");
  await close();
});

it("a person rejects a plan with a reason", async () => {
  const task = await feature("reject");
  const { page, close } = await openView(browser, user, `/inbox/${task.id}`);
  await page.getByRole("button", { name: "Reject…" }).click();
  const dialog = page.getByRole("dialog", { name: `Reject “${task.title}”?` });
  await dialog.getByLabel("Reason").fill("We buy it instead.");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Reject the plan" }).click();
  const ended = await waitForTask(user.client, task.id, ({ status }) => status === "cancelled");
  expect(ended.reason).toContain("We buy it instead.");
  await close();
});

it("a person without the right sees the plan, and why they cannot approve it", async () => {
  const task = await staged("rights");
  const bob = await addPerson(user, "bob", ["submit"]);
  const { page, close } = await openView(browser, bob, `/inbox/${task.id}`);
  const approve = page.getByRole("button", { name: /^Approve / });
  await approve.waitFor();
  expect(await approve.getAttribute("aria-disabled")).toBe("true");
  await page
    .getByText('Approving a plan needs the right "approve"; bob may submit.')
    .first()
    .waitFor({ state: "attached" });
  await approve.click({ force: true });
  await page.keyboard.press("a");
  await expectAccessible(page);
  expect((await waitForTask(user.client, task.id, () => true)).status).toBe("waiting");
  await close();
});
