import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openLoopbackNtfy, type LoopbackNtfy } from "../../src/testing/loopback/loopback-ntfy.ts";
import {
  DESKTOP,
  expectAccessible,
  expectNoOverflow,
  expectQuiet,
  openBrowser,
  openView,
  PHONE,
} from "./support/browser.ts";
import { createPageUser, type PageUser } from "./support/page-user.ts";

let user: PageUser;
let browser: Browser;
let ntfy: LoopbackNtfy;

const BROKEN = "name: hotfix\nstart: nowhere\nstates:\n  done: { end: succeeded }\n";

beforeAll(async () => {
  ntfy = await openLoopbackNtfy();
  const notify = `notify: { ntfy: { url: "${ntfy.url}", topic: nights, on: [failed, report] } }\nbudget: { night_usd: 20 }\n`;
  [user, browser] = await Promise.all([
    createPageUser({ prepare: (home) => appendFile(join(home, "config.yaml"), notify) }),
    openBrowser(),
  ]);
  const folder = join(user.repo.checkout, ".nightshift/pipelines");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "hotfix.yaml"), BROKEN);
  await user.client.call("POST /tokens", { body: { name: "bob", rights: ["submit", "approve"] } });
});

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
  await ntfy.close();
});

for (const theme of ["light", "dark"] as const) {
  for (const size of [DESKTOP, PHONE]) {
    it(`the settings are accessible and fit in the ${theme} theme at ${size.width} px`, async () => {
      const view = await openView(browser, user, "/settings", { theme, size });
      await view.page.getByRole("button", { name: "Send a test message to ntfy" }).waitFor();
      await view.page.getByRole("button", { name: "Revoke the token of bob" }).waitFor();
      await view.page.getByRole("list", { name: "Problems of pipeline files" }).waitFor();
      await expectAccessible(view.page);
      await expectNoOverflow(view.page);
      expectQuiet(view);
      const folder = process.env["NIGHTSHIFT_TEST_SHOTS"];
      if (folder !== undefined)
        await view.page.screenshot({ path: join(folder, `settings-${size.width}-${theme}.png`), fullPage: true });
      await view.close();
    });
  }
}

it("a test message is sent to the channel, and the page shows what the service answered", async () => {
  const view = await openView(browser, user, "/settings");
  await view.page.getByRole("button", { name: "Send a test message to ntfy" }).click();
  await view.page.getByText("accepted the message.").waitFor();
  expect(ntfy.shown.map(({ title }) => title)).toEqual(["test message – Nightshift reaches this channel"]);
  expectQuiet(view);
  await view.close();
});

it("a new token is shown once, and is revoked only after a confirmation", async () => {
  const view = await openView(browser, user, "/settings");
  const { page } = view;
  await page.getByRole("button", { name: "Token for a person" }).click();
  await page.getByLabel("Name").fill("carol");
  await page.getByRole("checkbox", { name: /^approve/ }).check();
  await page.getByRole("button", { name: "Create the token" }).click();
  const shown = page.getByRole("dialog", { name: "Token of carol" });
  await shown.waitFor();
  const token = (await shown.locator(".cmd-text").textContent()) ?? "";
  const headers = { authorization: `Bearer ${token}` };
  const asCarol = await fetch(`${user.url}/api/v1/session`, { headers });
  expect(await asCarol.json()).toMatchObject({ name: "carol", rights: ["submit", "approve"] });
  await page.getByRole("button", { name: "I have kept it" }).click();
  expect(await page.content()).not.toContain(token);

  await page.getByRole("button", { name: "Revoke the token of carol" }).click();
  const asked = page.getByRole("dialog", { name: "Revoke the token of carol?" });
  await asked.getByRole("button", { name: "Keep it" }).click();
  expect((await fetch(`${user.url}/api/v1/session`, { headers })).status).toBe(200);
  await page.getByRole("button", { name: "Revoke the token of carol" }).click();
  await asked.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke the token of carol" }).waitFor({ state: "detached" });
  expect((await fetch(`${user.url}/api/v1/session`, { headers })).status).toBe(401);
  expectQuiet(view);
  await view.close();
});

it("a name that is already taken is refused, and the form keeps what was typed", async () => {
  const { page, close } = await openView(browser, user, "/settings");
  await page.getByRole("button", { name: "Token for a person" }).click();
  await page.getByLabel("Name").fill("bob");
  await page.getByRole("button", { name: "Create the token" }).click();
  await page.getByText("The token was not created.").waitFor();
  expect(await page.getByLabel("Name").inputValue()).toBe("bob");
  await close();
});

it("mistakes in a pipeline file are listed with their line, and limits with the file that sets them", async () => {
  const { page, close } = await openView(browser, user, "/settings");
  const problems = page.getByRole("list", { name: "Problems of pipeline files" });
  await problems.getByText("line 2").first().waitFor();
  expect(await problems.textContent()).toContain("nowhere");
  const budgets = page.getByRole("region", { name: "Budgets" });
  await budgets.getByText("$20.00").waitFor();
  expect(await budgets.textContent()).toContain("config.yaml");
  await close();
});

it("this machine is checked on request", async () => {
  const { page, close } = await openView(browser, user, "/settings");
  await page.getByRole("button", { name: "Check this machine" }).click();
  await page.getByRole("list", { name: "Findings" }).waitFor({ timeout: 60_000 });
  expect(await page.getByRole("list", { name: "Findings" }).getByRole("listitem").count()).toBeGreaterThan(3);
  await close();
});

it("single letters stop being keys when they are switched off, also after a reload", async () => {
  const { page, close } = await openView(browser, user, "/settings");
  await page.getByRole("checkbox", { name: "Single letters are keys" }).uncheck();
  await page.reload();
  await page.getByRole("checkbox", { name: "Single letters are keys" }).waitFor();
  expect(await page.getByRole("checkbox", { name: "Single letters are keys" }).isChecked()).toBe(false);
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  expect(new URL(page.url()).pathname).toBe("/settings");
  await close();
});
