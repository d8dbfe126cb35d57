import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { openBrowser } from "../test/page/support/browser.ts";
import { createDemoUser, type DemoUser } from "../test/page/support/demo-user.ts";

// Runs the night of the demo and takes the pictures of the documentation, into docs/images or the given folder.

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly theme?: "light" | "dark";
  readonly size?: { readonly width: number; readonly height: number };
}

const folder = process.argv[2] ?? join(import.meta.dirname, "../docs/images");
const DESKTOP = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };

mkdirSync(folder, { recursive: true });
const [user, browser] = await Promise.all([createDemoUser(), openBrowser()]);
try {
  for (const shot of listShots(user)) await take(browser, user, shot);
} finally {
  await browser.close();
  await user.cleanUp();
}

function listShots({ tasks }: DemoUser): readonly Shot[] {
  return [
    { name: "morning", path: "/" },
    { name: "morning-dark", path: "/", theme: "dark" },
    { name: "morning-phone", path: "/", size: PHONE },
    { name: "inbox-plan", path: `/inbox/${tasks.feature.id}` },
    { name: "inbox-questions-phone", path: `/inbox/${tasks.questions.id}`, size: PHONE, theme: "dark" },
    { name: "tasks", path: "/tasks" },
    { name: "task", path: `/tasks/${tasks.bug.id}` },
    { name: "transcript", path: `/tasks/${tasks.chore.id}/transcript` },
    { name: "diff", path: `/tasks/${tasks.chore.id}/diff` },
    { name: "costs", path: "/costs" },
  ];
}

async function take(browserToUse: Browser, { url, signIn }: DemoUser, shot: Shot): Promise<void> {
  const context = await browserToUse.newContext({
    viewport: shot.size ?? DESKTOP,
    colorScheme: shot.theme ?? "light",
    reducedMotion: "reduce",
  });
  await context.addCookies([await signIn()]);
  const page = await context.newPage();
  await page.goto(url + shot.path);
  await page.locator("h1").first().waitFor();
  await page.waitForLoadState("networkidle", { timeout: 3_000 }).catch(() => undefined); // the event stream never ends
  await page.screenshot({ path: join(folder, `${shot.name}.png`) });
  await context.close();
}
