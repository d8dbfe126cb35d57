import { accessSync, constants } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import type { PageUser } from "./page-user.ts";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/** Without them Chromium looks for updates and servers of its maker. Root cannot use Chromium's own sandbox. */
const FLAGS = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-quic",
  "--disable-sync",
  "--no-first-run",
  "--no-sandbox",
];

export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: findChromium(), args: FLAGS });
}

function findChromium(): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(isProgram);
  if (found === undefined) throw new Error('There is no Chromium. As root on Debian, "npm run test:page" installs it.');
  return found;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export const DESKTOP = { width: 1280, height: 900 };
export const PHONE = { width: 390, height: 844 };

export interface ViewOptions {
  readonly size?: { readonly width: number; readonly height: number };
  readonly theme?: "light" | "dark";
  /** Default: signed in as the owner. */
  readonly isSignedIn?: boolean;
}

/** A page with what must never happen on it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors in the console and exceptions. */
  readonly errors: readonly string[];
  /** Requests to other origins than the daemon's. */
  readonly foreignRequests: readonly string[];
  close(): Promise<void>;
}

/** Opens the page of a user's daemon in a browser context of its own. */
export async function openView(
  browser: Browser,
  user: PageUser,
  path: string,
  { size = DESKTOP, theme = "light", isSignedIn = true }: ViewOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: size, colorScheme: theme, reducedMotion: "reduce" });
  if (isSignedIn) await context.addCookies([await user.signIn()]);
  const page = await context.newPage();
  const errors: string[] = [];
  const foreignRequests: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    // Chromium reports each failed request, also those that the page expects and explains.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      errors.push(message.text());
  });
  context.on("request", (request) => {
    if (!request.url().startsWith(user.url) && !/^(data|blob):/.test(request.url()))
      foreignRequests.push(request.url());
  });
  await page.goto(user.url + path);
  return { page, errors, foreignRequests, close: () => context.close() };
}

/** Expects that nothing went wrong on the page and that it asked no other server for anything. */
export function expectQuiet({ errors, foreignRequests }: WatchedPage): void {
  expect(errors).toEqual([]);
  expect(foreignRequests).toEqual([]);
}

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"];

/** Expects no violation of the accessibility rules in the current state of the page. */
export async function expectAccessible(page: Page): Promise<void> {
  const source = await readFile(AXE, "utf8");
  // The page's policy forbids script elements, but not code that the browser's own tools evaluate.
  await page.evaluate(source);
  // As text, because these tests are not compiled for a browser.
  const violations = (await page.evaluate(`(async () => {
    const { violations } = await axe.run(document, { runOnly: { type: "tag", values: ${JSON.stringify(RULES)} } });
    return violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join("\\n"));
  })()`)) as readonly string[];
  expect(violations).toEqual([]);
}

/** Expects that the page has no part that is wider than the window. Only marked regions may scroll sideways. */
export async function expectNoOverflow(page: Page): Promise<void> {
  // As text, because these tests are not compiled for a browser.
  const wider = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
  expect(wider).toBeLessThanOrEqual(0);
}
