import { join } from "node:path";
import type { Browser } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DESKTOP, expectAccessible, expectNoOverflow, openBrowser, PHONE } from "./support/browser.ts";

let server: ViteDevServer;
let browser: Browser;
let address: string;

beforeAll(async () => {
  const configFile = join(import.meta.dirname, "../../web/vite.config.ts");
  server = await createServer({ configFile, logLevel: "error", server: { host: "127.0.0.1", port: 0 } });
  await server.listen();
  address = `${server.resolvedUrls?.local[0] ?? ""}dev/gallery/`;
  browser = await openBrowser();
});

afterAll(async () => {
  await browser.close();
  await server.close();
});

for (const theme of ["light", "dark"] as const) {
  for (const size of [DESKTOP, PHONE]) {
    it(`every component is accessible in the ${theme} theme at ${size.width} px`, async () => {
      const page = await browser.newPage({ viewport: size, colorScheme: theme });
      await page.goto(address);
      await page.getByRole("heading", { name: "Components and their states" }).waitFor();
      await page.getByText("Loading", { exact: true }).last().waitFor({ state: "attached" });
      await expectAccessible(page);
      await expectNoOverflow(page);
      expect(await page.locator("script", { hasText: "alert" }).count()).toBe(0);
      await page.close();
    });
  }
}

it("an action that is not possible can be focused, says why, and does nothing", async () => {
  const page = await browser.newPage({ viewport: DESKTOP });
  await page.goto(address);
  const refused = page.getByRole("button", { name: "Approve", disabled: true }).first();
  await refused.focus();
  const id = await refused.getAttribute("aria-describedby");
  expect(await page.locator(`[id="${id}"]`).textContent()).toContain('needs the right "approve"');
  await page.close();
});
