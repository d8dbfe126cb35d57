import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pollUntil } from "../support/cli-user.ts";
import { DESKTOP, expectAccessible, expectQuiet, openBrowser, openView, PHONE } from "./support/browser.ts";
import { createPageUser, type PageUser } from "./support/page-user.ts";

let user: PageUser;
let browser: Browser;

const REASON = "Not signed in. Run `codex login --device` on this machine.";
/** The agent says that it needs a login, as agent CLIs do. */
const SCRIPT = [
  {
    role: "implement",
    commands: [`printf '%s\\n' '${JSON.stringify({ type: "error", message: REASON, failure: "login" })}'`, "exit 1"],
    exit: 1,
  },
];

beforeAll(async () => {
  [user, browser] = await Promise.all([createPageUser({ script: SCRIPT }), openBrowser()]);
  const body = { title: "Anything", description: "Anything", project: "shop", pipeline: "chore" };
  await user.client.call("POST /tasks", { body });
  await pollUntil(
    () => user.client.call("GET /agents"),
    ({ agents }) => agents.some(({ parked_for: parked }) => parked === "login"),
  );
});

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
});

for (const theme of ["light", "dark"] as const) {
  for (const size of [DESKTOP, PHONE]) {
    it(`the agents are accessible and fit in the ${theme} theme at ${size.width} px`, async () => {
      const view = await openView(browser, user, "/agents", { theme, size });
      await view.page.getByRole("button", { name: "Try now" }).waitFor();
      await view.page.getByRole("region", { name: "Roles" }).waitFor();
      await expectAccessible(view.page);
      expect(await view.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      expectQuiet(view);
      await view.close();
    });
  }
}

it("a parked agent stands first, with its reason, the command to copy, and an attempt at once", async () => {
  const view = await openView(browser, user, "/agents");
  const { page } = view;
  const row = page.getByRole("region", { name: "Agents" }).getByRole("row").nth(1);
  await row.getByText("Parked", { exact: true }).waitFor();
  expect(await row.innerText()).toContain("scripted");
  await row.getByText("It needs a login.").waitFor();
  await row.getByRole("button", { name: "Copy the command codex login --device" }).waitFor();
  const before = (await user.client.call("GET /runs")).runs.length;
  await row.getByRole("button", { name: "Try now" }).click();
  await page.getByText("scripted is tried with its next run.").waitFor();
  await expect.poll(async () => (await user.client.call("GET /runs")).runs.length).toBeGreaterThan(before);
  expectQuiet(view);
  await view.close();
});

it("an agent that is not installed says how to install it", async () => {
  const { page, close } = await openView(browser, user, "/agents");
  const { agents } = await user.client.call("GET /agents");
  const missing = agents.find(({ problem }) => problem?.includes("is not on the daemon's PATH") === true);
  expect(missing).toBeDefined();
  const row = page.getByRole("row").filter({ has: page.getByText(missing?.name ?? "", { exact: true }) });
  await row.getByText("Not installed").waitFor();
  await row.getByText("is not on the daemon's PATH").waitFor();
  await close();
});

it("roles have their agent and their limits", async () => {
  const { page, close } = await openView(browser, user, "/agents");
  const row = page.getByRole("region", { name: "Roles" }).getByRole("row", { name: /^implement/ });
  await row.waitFor();
  expect(await row.innerText()).toMatch(/implement\s+scripted\s+\d+ (min|h)/);
  await close();
});
