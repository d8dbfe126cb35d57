import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNodeClient } from "../../src/http/client/node-client.ts";
import { DESKTOP, expectAccessible, expectQuiet, openBrowser, openView, PHONE } from "./support/browser.ts";
import { createPageUser, type PageUser } from "./support/page-user.ts";

let user: PageUser;
let browser: Browser;

beforeAll(async () => {
  [user, browser] = await Promise.all([createPageUser(), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await user.cleanUp();
});

/** The address of a new link without the origin, as `openView` takes it. */
async function createLink(body: { readonly person?: string; readonly path?: string } = {}): Promise<string> {
  const { url } = await user.client.call("POST /session/links", { body });
  return url.slice(user.url.length);
}

const signedOut = { isSignedIn: false } as const;
const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1 });

describe("signing in to the page", () => {
  it("a link opens the requested page, and works in no other browser after that", async () => {
    const link = await createLink({ path: "/settings" });
    const view = await openView(browser, user, link, signedOut);
    await view.page.waitForURL("**/settings");
    await view.page.getByText("Signed in as").waitFor();
    expect(await view.page.evaluate("document.cookie")).toBe("");
    expectQuiet(view);
    await view.close();

    const other = await openView(browser, user, link, signedOut);
    await heading(other.page, "This link does not work any more").waitFor();
    await other.page.getByText("nightshift open").waitFor();
    expect(await other.page.context().cookies()).toEqual([]);
    await other.close();
  });

  it("the code is neither sent to the daemon in an address nor kept in the address bar or the history", async () => {
    const link = await createLink();
    const code = link.split("#")[1] ?? "none";
    const view = await openView(browser, user, "/more");
    const requests: string[] = [];
    view.page.on("request", (request) => requests.push(request.url(), JSON.stringify(request.headers())));
    await view.page.goto(user.url + link);
    await view.page.waitForURL((url) => url.pathname === "/");
    // Playwright adds the fragment, which browsers do not send.
    expect(requests.filter((text) => text.includes(code) && !text.includes("#"))).toEqual([]);
    expect(view.page.url()).not.toContain(code);
    await view.page.goBack();
    await view.page.waitForURL("**/more");
    expect(view.page.url()).not.toContain(code);
    await view.close();
  });

  it("signing out ends the session for all tabs, and neither the link nor the old cookie works again", async () => {
    const link = await createLink();
    const view = await openView(browser, user, link, signedOut);
    const { page } = view;
    await page.waitForURL((url) => url.pathname === "/");
    const second = await page.context().newPage();
    await second.goto(`${user.url}/tasks`);
    await heading(second, "Tasks").waitFor();
    const [cookie] = await page.context().cookies();
    await page.goto(`${user.url}/settings`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await heading(page, "You signed out").waitFor();
    await expectAccessible(page);
    expect(await page.context().cookies()).toEqual([]);
    await second.getByText("You are signed out.").waitFor();
    await page.goto(user.url + link);
    await heading(page, "This link does not work any more").waitFor();
    if (cookie === undefined) throw new Error("there was no cookie");
    await page.context().addCookies([cookie]);
    await page.goto(`${user.url}/settings`);
    await page.getByText("You are signed out.").waitFor();
    await view.close();
  });

  it("another link in the same tab works without a reload by hand", async () => {
    const view = await openView(browser, user, "/sign-in#nonsense", signedOut);
    await heading(view.page, "This link does not work any more").waitFor();
    await view.page.goto(user.url + (await createLink()));
    await view.page.waitForURL((url) => url.pathname === "/");
    expect(view.page.url()).toBe(`${user.url}/`);
    await view.close();
  });

  it("a link cannot lead to another site, also if its address was changed", async () => {
    const [path, code] = (await createLink()).split("#");
    const view = await openView(
      browser,
      user,
      `${path}?next=${encodeURIComponent("//evil.example/")}#${code}`,
      signedOut,
    );
    await view.page.waitForURL((url) => url.pathname === "/");
    expect(view.page.url()).toBe(`${user.url}/`);
    expect(view.foreignRequests).toEqual([]);
    await view.close();
  });
});

describe("people with different rights", () => {
  it("a person who may only submit signs in, and sees which right a decision needs", async () => {
    const { token } = await user.client.call("POST /tokens", { body: { name: "sam", rights: ["submit"] } });
    const view = await openView(browser, user, await createLink({ person: "sam", path: "/settings" }), signedOut);
    await view.page.getByText("Signed in as sam, who may submit").waitFor();
    const refused = await view.page.evaluate(
      `fetch("/api/v1/tokens", { method: "POST", headers: { "content-type": "application/json" }, body: '{"name":"eve","rights":["admin"]}' }).then(({ status }) => status)`,
    );
    expect(refused).toBe(403);
    await user.client.call("DELETE /tokens/:name", { params: { name: "sam" } });
    await view.page.getByText("You are signed out.").waitFor();
    await expect(createNodeClient({ url: user.url, token }).call("GET /session")).rejects.toMatchObject({
      status: 401,
    });
    await view.close();
  });

  it("a link of another person asks before it replaces the session", async () => {
    await user.client.call("POST /tokens", { body: { name: "mallory", rights: [] } });
    const view = await openView(browser, user, await createLink({ person: "mallory", path: "/settings" }));
    const { page } = view;
    await heading(page, "Sign in as another person?").waitFor();
    await page.getByText("The link is for mallory.").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Change nothing" }).click();
    await page.getByText("who may admin").waitFor();
    await page.goto(user.url + (await createLink({ person: "mallory", path: "/settings" })));
    await page.getByRole("button", { name: "Sign in with the link" }).click();
    await page.getByText("Signed in as mallory, who may only read").waitFor();
    await view.close();
  });
});

describe("the sign-in page", () => {
  it("without a link it says how to get one, and leads a person who is signed in on", async () => {
    const view = await openView(browser, user, "/sign-in", signedOut);
    await heading(view.page, "You are not signed in").waitFor();
    await view.close();
    const own = await openView(browser, user, "/sign-in");
    await own.page.waitForURL((url) => url.pathname === "/");
    expect(own.page.url()).toBe(`${user.url}/`);
    await own.close();
  });

  for (const theme of ["light", "dark"] as const) {
    for (const size of [DESKTOP, PHONE]) {
      it(`a refused link is explained in the ${theme} theme at ${size.width} px`, async () => {
        const view = await openView(browser, user, "/sign-in#used", { ...signedOut, theme, size });
        await heading(view.page, "This link does not work any more").waitFor();
        await expectAccessible(view.page);
        const overflow = await view.page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect(overflow).toBeLessThanOrEqual(0);
        expectQuiet(view);
        await view.close();
      });
    }
  }
});
