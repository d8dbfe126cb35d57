import { createHmac } from "node:crypto";
import { afterEach, expect, it, vi } from "vitest";
import { createHttpDeps } from "../../../src/daemon/wire/http-deps.ts";
import { openHttpServer, type HttpServer } from "../../../src/http/listen.ts";
import { NIGHTLY_DRAFT, openNightly, type Nightly } from "../../support/nightly.ts";

const SECRET = "planted-secret-of-the-webhook";
const TEST_TIMEOUT = { timeout: 300_000 };

let night: Nightly | null = null;
let server: HttpServer | null = null;

afterEach(async () => {
  await server?.close();
  await night?.close();
  server = null;
  night = null;
}, 60_000);

/** A published improvement whose change request was merged by a person, with the daemon's HTTP server. */
async function open(kind: "github" | "gitlab") {
  const opened = await openNightly({
    kind,
    timeoutMs: 200_000,
    env: { HOOK_SECRET: SECRET },
    forgeSettings: ", webhook_secret_env: HOOK_SECRET",
  });
  night = opened;
  const { id } = await opened.submit({
    ...NIGHTLY_DRAFT,
    improve: { category: "docs", only: true, scheduledAt: null },
  });
  expect(await opened.settled(id)).toMatchObject({ state: "published" });
  const polledProjects: string[] = [];
  const pollForge = (project: string): void => {
    polledProjects.push(project);
    opened.lookAgain(project);
  };
  const facts = {
    ownerToken: "t",
    version: "1",
    startedAt: 0,
    stop: () => undefined,
    pollForge,
    findProblem: () => null,
    findPortProblem: () => null,
    listOutages: () => [],
  };
  server = await openHttpServer(createHttpDeps(opened.wired, facts), { host: "127.0.0.1", port: 0, publicUrl: null });
  const url = `${server.url}/api/v1/projects/shop/forge-hook`;
  return {
    opened,
    polledProjects,
    call: async (headers: Record<string, string>, body: string) =>
      (await fetch(url, { method: "POST", headers, body })).status,
    readStatuses: async () => {
      const query = { project: "shop", statuses: null, limit: 10 };
      return (await opened.wired.ports.store.ledger.listProposals(query)).map(({ status }) => status);
    },
  };
}

const signGithub = (body: string, secret: string): Record<string, string> => ({
  "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
});

it(
  "forge webhook: a GitHub call triggers reading the merge from the forge, whatever its body says; a forged call does nothing",
  TEST_TIMEOUT,
  async () => {
    const { opened, call, polledProjects, readStatuses } = await open("github");
    const claim = JSON.stringify({ action: "closed", pull_request: { number: 1, merged: true } });
    expect(await call(signGithub(claim, "another-secret"), claim)).toBe(401);
    expect(await call({}, claim)).toBe(401);
    expect(polledProjects).toEqual([]);
    // The forge decides, not the body of the call.
    const before = opened.forge.requests.length;
    expect(await call(signGithub(claim, SECRET), claim)).toBe(202);
    expect(polledProjects).toEqual(["shop"]);
    await vi.waitFor(() => expect(opened.forge.requests.length).toBeGreaterThan(before), { timeout: 60_000 });
    expect(await readStatuses()).not.toContain("merged");
    await opened.forge.merge(1);
    expect(await call(signGithub(claim, SECRET), claim)).toBe(202);
    await vi.waitFor(async () => expect(await readStatuses()).toContain("merged"), { timeout: 60_000, interval: 100 });
  },
);

it("forge webhook: a GitLab call is authenticated by its token", TEST_TIMEOUT, async () => {
  const { opened, call, polledProjects, readStatuses } = await open("gitlab");
  await opened.forge.merge(1);
  expect(await call({ "x-gitlab-token": `${SECRET}.` }, "{}")).toBe(401);
  expect(polledProjects).toEqual([]);
  expect(await call({ "x-gitlab-token": SECRET }, "{}")).toBe(202);
  await vi.waitFor(async () => expect(await readStatuses()).toContain("merged"), { timeout: 60_000, interval: 100 });
});
