import { readFileSync } from "node:fs";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { homePaths } from "../src/config/files/paths.ts";
import type { DaemonFile } from "../src/daemon/daemon-file.ts";
import { signIn, type SignInCookie } from "../test/support/sign-in.ts";
import type { BenchEnvironment } from "./environment.ts";

export interface SignedInUser {
  readonly url: string;
  readonly cookie: SignInCookie;
}

/** Signs the owner of the environment's daemon in. */
export async function signInOwner({ home }: BenchEnvironment): Promise<SignedInUser> {
  const { url, token } = JSON.parse(readFileSync(homePaths(home).daemon, "utf8")) as DaemonFile;
  return { url, cookie: await signIn({ url, token }) };
}

/** Opens a view with an empty cache. Returns as soon as the daemon has answered. */
export async function openView(
  browser: Browser,
  { url, cookie }: SignedInUser,
  path: string,
): Promise<{ readonly context: BrowserContext; readonly page: Page }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addCookies([cookie]);
  const page = await context.newPage();
  await page.goto(url + path, { waitUntil: "commit" });
  return { context, page };
}
