import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DESKTOP, expectAccessible, expectQuiet, openBrowser, openView, PHONE } from "./support/browser.ts";
import { signIn } from "../support/sign-in.ts";
import { createDemoUser, type DemoUser } from "./support/demo-user.ts";

let user: DemoUser;
let browser: Browser;
let written: string;

beforeAll(async () => {
  [user, browser] = await Promise.all([createDemoUser(), openBrowser()]);
  written = await readFile(settingsFile(), "utf8");
  await requestNetwork("cdn.example.com");
});

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
});

const settingsFile = (): string => join(user.repo.path, "demo/repo/nightshift.yaml");
const requestNetwork = (hosts: string): Promise<void> =>
  writeFile(
    settingsFile(),
    `${written}sandbox: { network: [${hosts}] }\nsecrets: { SHOP_KEY: { roles: [implement] } }\n`,
  );
const openProject = (options = {}) => openView(browser, user, "/projects/demo", options);

for (const theme of ["light", "dark"] as const) {
  for (const size of [DESKTOP, PHONE]) {
    it(`a project is accessible and fits in the ${theme} theme at ${size.width} px`, async () => {
      const view = await openProject({ theme, size });
      const { page } = view;
      await page.getByText("The project’s files request more than was accepted.").waitFor();
      await page.getByRole("region", { name: "Proposals" }).waitFor();
      await page.getByText("a person approves").waitFor();
      await page.getByRole("region", { name: "Checks of the project" }).waitFor();
      await expectAccessible(page);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      expectQuiet(view);
      await view.close();
    });
  }
}

it("a project shows its checks, gates, sandbox, tasks and ledger", async () => {
  const { page, close } = await openProject();
  await page.getByRole("region", { name: "Proposals" }).waitFor();
  const checks = page.getByRole("region", { name: "Checks of the project" });
  expect(await checks.getByRole("row").allInnerTexts()).toEqual([
    expect.stringContaining("Name"),
    expect.stringMatching(/test\s+sh test\.sh\s+error/),
    expect.stringMatching(/no-secrets\s+built in/),
  ]);
  const tasks = page.getByRole("region", { name: "Tasks" });
  expect(await tasks.getByRole("link", { name: "Give a discount on an order" }).count()).toBe(1);
  expect(await page.getByRole("region", { name: "Proposals" }).getByText("published").count()).toBeGreaterThan(0);
  await close();
});

it("rules can be added, edited and removed, and a draft survives a reload", async () => {
  const view = await openProject();
  const { page } = view;
  await page.getByRole("button", { name: "Add a rule" }).click();
  await page.getByLabel("What analyses respect").fill("Leave legacy alone");
  await page.reload();
  await page.getByRole("button", { name: "Add a rule" }).click();
  expect(await page.getByLabel("What analyses respect").inputValue()).toBe("Leave legacy alone");
  await page.getByLabel("Expires").selectOption("never");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  const rules = page.getByRole("region", { name: /^Rules/ });
  await rules.getByText("Leave legacy alone").waitFor();
  await rules.getByText("does not expire").waitFor();
  await rules.getByRole("button", { name: /Change the rule/ }).click();
  await page.getByRole("menuitem", { name: "Edit…" }).click();
  await page.getByLabel("What analyses respect").fill("Leave src/legacy alone");
  await page.getByRole("button", { name: "Save" }).click();
  await rules.getByText("Leave src/legacy alone").waitFor();
  await rules.getByRole("button", { name: /Change the rule/ }).click();
  await page.getByRole("menuitem", { name: "Remove…" }).click();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await rules.getByText("No rules yet.").waitFor();
  expect((await user.client.call("GET /rules")).rules).toEqual([]);
  expectQuiet(view);
  await view.close();
});

it("a reason rejects a proposal and becomes a rule", async () => {
  const { page, close } = await openProject();
  const { proposals } = await user.client.call("GET /proposals", { query: { status: "proposed" } });
  const title = proposals[0]?.title ?? "";
  await page.getByRole("button", { name: `Not wanted… ${title}` }).click();
  const dialog = page.getByRole("dialog", { name: "Why is it not wanted?" });
  const send = dialog.getByRole("button", { name: "Record the reason" });
  expect(await send.getAttribute("aria-disabled")).toBe("true");
  await dialog.getByRole("radio", { name: "too big" }).check();
  await dialog.getByLabel("In your words, optional").fill("One file at a time.");
  await send.click();
  const row = page.getByRole("row", { name: title });
  await row.getByText("too big: One file at a time.").waitFor();
  expect(await row.innerText()).toContain("rejected");
  await page
    .getByRole("region", { name: /^Rules/ })
    .getByText("One file at a time.")
    .waitFor();
  await close();
});

it("checks run on the default branch when a person asks", async () => {
  const { page, close } = await openProject();
  await page.getByRole("button", { name: "Run them on main" }).click();
  await page
    .getByRole("region", { name: /^Checks \d/ })
    .locator(".findings, .hint")
    .first()
    .waitFor();
  const found = await page
    .getByRole("region", { name: /^Checks \d/ })
    .getByRole("status")
    .innerText();
  expect(found).toContain("test");
  await close();
});

it("the preview of a nightly improvement says what would happen, and starts nothing", async () => {
  const before = (await user.client.call("GET /tasks")).tasks.length;
  const { page, close } = await openProject();
  await page.getByRole("button", { name: "Improve now…" }).click();
  const dialog = page.getByRole("dialog", { name: "Run improve of demo now?" });
  await dialog.getByText("at most 100 lines").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  expect((await user.client.call("GET /tasks")).tasks).toHaveLength(before);
  await close();
});

it("someone without the right sees why permissions cannot be accepted", async () => {
  const { token } = await user.client.call("POST /tokens", { body: { name: "rita", rights: [] } });
  const rita = { ...user, signIn: () => signIn({ url: user.url, token }) };
  const view = await openView(browser, rita, "/projects/demo");
  const accept = view.page.getByRole("button", { name: /^Accept these/ });
  await accept.waitFor();
  await expect.poll(() => accept.getAttribute("title")).toContain('needs the right "admin"');
  await view.close();
});

it("a person accepts exactly the permissions that are shown", async () => {
  const { page, close } = await openProject();
  const asked = page.getByRole("region", { name: "Requested permissions" });
  await asked.getByText("cdn.example.com").waitFor();
  // The files change after the page has shown them, and before the person presses the button.
  await page.route("**/projects/demo/trust", (route) => route.abort());
  await requestNetwork("cdn.example.com, other.example.com");
  await page.getByRole("button", { name: /^Accept/ }).click();
  await page.getByText("Nothing was accepted.").waitFor();
  await page.unroute("**/projects/demo/trust");
  await page.reload();
  await asked.getByText("other.example.com").waitFor();
  await page.getByRole("button", { name: /^Accept/ }).click();
  await expect.poll(() => asked.count()).toBe(0);
  const { sandbox, secrets } = await user.client.call("GET /projects/:name/settings", { params: { name: "demo" } });
  expect([sandbox.network, secrets]).toEqual([
    ["cdn.example.com", "other.example.com"],
    [{ name: "SHOP_KEY", roles: ["implement"] }],
  ]);
  await close();
});

it("a project with unfinished tasks is not removed, and says so", async () => {
  const { page, close } = await openProject();
  await page.getByRole("button", { name: "Remove the project…" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove demo?" });
  await dialog.getByRole("button", { name: "Remove" }).click();
  await dialog.getByText("It was not removed.").waitFor();
  await dialog.getByRole("button", { name: "Keep it" }).click();
  expect((await user.client.call("GET /projects")).projects).toHaveLength(1);
  await close();
});

it("an unknown project says so and names the known ones", async () => {
  const { page, close } = await openView(browser, user, "/projects/nothing");
  await page.getByRole("heading", { name: "No project is named nothing" }).waitFor();
  await page.getByRole("main").getByRole("link", { name: "demo" }).click();
  await page.getByRole("heading", { name: "demo", level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/projects/demo");
  await close();
});
