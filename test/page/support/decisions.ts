import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, vi } from "vitest";
import type { DaemonFile } from "../../../src/daemon/daemon-file.ts";
import type { Client, TaskJson } from "../../../src/http/client/client.ts";
import { createNodeClient } from "../../../src/http/client/node-client.ts";
import type { PageUser } from "./page-user.ts";
import { signIn } from "../../support/sign-in.ts";

interface TaskDraft {
  readonly pipeline: string;
  readonly agent: string;
  readonly description: string;
  readonly auto_approve?: boolean;
}

/** Submits a task to `shop`, and waits until it waits for a person. */
export async function submitAndWait({ client }: Pick<PageUser, "client">, draft: TaskDraft): Promise<TaskJson> {
  const { id } = await client.call("POST /tasks", { body: { project: "shop", ...draft } });
  return await waitForTask(client, id, ({ status }) => status === "waiting");
}

export async function waitForTask(client: Client, id: string, holds: (task: TaskJson) => boolean): Promise<TaskJson> {
  return await vi.waitFor(
    async () => {
      const task = await client.call("GET /tasks/:id", { params: { id } });
      if (!holds(task)) throw new Error(`${id} is ${task.status} in ${task.state}: ${task.reason ?? "no reason"}.`);
      return task;
    },
    { timeout: 90_000, interval: 100 },
  );
}

/** Another person with these rights: for the page, and for the API. */
export async function addPerson(
  user: PageUser,
  name: string,
  rights: readonly ("submit" | "approve" | "admin")[],
): Promise<PageUser> {
  const { token } = await user.client.call("POST /tokens", { body: { name, rights: [...rights] } });
  const { url } = user;
  return { ...user, client: createNodeClient({ url, token }), signIn: () => signIn({ url, token }) };
}

/** The user after their daemon was restarted, which has another token then. */
export function reconnect(user: PageUser): PageUser {
  const { url, token } = JSON.parse(readFileSync(join(user.home, "daemon.json"), "utf8")) as DaemonFile;
  return { ...user, url, client: createNodeClient({ url, token }), signIn: () => signIn({ url, token }) };
}

/** No part of the page is wider than the screen. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const width = (await page.evaluate("document.documentElement.scrollWidth - innerWidth")) as number;
  expect(width).toBeLessThanOrEqual(0);
}
