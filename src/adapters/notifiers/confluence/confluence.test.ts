import { afterEach, expect, test } from "vitest";
import type { Notice } from "../../../ports/store.ts";
import {
  openLoopbackConfluence,
  type ConfluenceParams,
  type LoopbackConfluence,
} from "../../../testing/loopback/loopback-confluence.ts";
import { sampleNotice } from "../../../testing/store/samples.ts";
import { createConfluenceNotifier } from "./confluence.ts";

const TOKEN = "pat-0123456789abcdef";
const BASIC = `Basic ${Buffer.from(`ada@example.com:${TOKEN}`).toString("base64")}`;
let wiki: LoopbackConfluence;

afterEach(async () => {
  await wiki.close();
});

const open = async (over: Partial<ConfluenceParams> = {}): Promise<void> => {
  wiki = await openLoopbackConfluence({ pageId: "42", body: "<p>Hi</p>", authorization: `Bearer ${TOKEN}`, ...over });
};
const notice = (over: Partial<Notice> = {}): Notice => ({
  ...sampleNotice({ at: Date.UTC(2026, 2, 2, 1, 14, 7) }),
  id: 1,
  attempts: 0,
  ...over,
});

interface SendOptions {
  readonly user?: string | null;
  readonly cloud?: boolean;
  readonly token?: string;
  readonly pageId?: string;
}

async function send(
  { user = null, cloud = false, token = TOKEN, pageId = "42" }: SendOptions = {},
  sent = notice(),
): Promise<void> {
  const settings = { url: wiki.url, page_id: pageId, token_env: "WIKI_TOKEN", ...(user === null ? {} : { user }) };
  const options = { timeZone: "Europe/Paris", env: { WIKI_TOKEN: token }, timeoutMs: 10_000, cloud };
  await createConfluenceNotifier({ settings, ...options }).send(sent, new AbortController().signal);
}

test("confluence: adds a row on Data Center with a token", async () => {
  await open();
  await send();
  expect(wiki.page()).toMatchObject({ title: "Nights & days", version: 8 });
  expect(wiki.page().body).toMatch(/^<p>Hi<\/p><table>.*<td><p>2026-03-02 02:14:07<\/p><\/td><td><p>shop<\/p>/);
  await send(
    {},
    notice({
      id: 2,
      project: "web",
      data: { ...notice().data, costUsd: null, url: null, outcome: "abandoned", status: "failed" },
    }),
  );
  expect(wiki.page().version).toBe(9);
  expect(wiki.page().body).toContain("<td><p>abandoned</p></td><td><p></p></td><td><p>cost unknown</p></td>");
  expect(wiki.page().body.match(/<table>/g)).toHaveLength(1);
});

test("confluence: adds a row on Cloud with user and token", async () => {
  await open({ cloud: true, authorization: BASIC });
  await send({ cloud: true, user: "ada@example.com" });
  expect(wiki.page().version).toBe(8);
  expect(wiki.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /wiki/api/v2/pages/42?body-format=storage",
    "PUT /wiki/api/v2/pages/42",
  ]);
});

test("confluence: a retry after a crash adds no second row", async () => {
  await open();
  await send();
  await send({}, notice({ attempts: 1 }));
  expect(wiki.page().version).toBe(8);
});

test("confluence: keeps a concurrent edit", async () => {
  await open();
  wiki.editBeforeWrite("<p>Hi, edited</p>");
  await send();
  expect(wiki.page().version).toBe(9);
  expect(wiki.page().body).toMatch(/^<p>Hi, edited<\/p><table>/);
});

test("confluence: fails after two concurrent edits", async () => {
  await open();
  wiki.editBeforeWrite("<p>1</p>");
  wiki.editBeforeWrite("<p>2</p>");
  await expect(send()).rejects.toThrow("changed by someone else");
  expect(wiki.page().body).toBe("<p>2</p>");
});

const failure = (options: SendOptions): Promise<string> => send(options).then(() => "sent", String);

test("confluence: errors do not contain the token", async () => {
  await open({ authorization: BASIC });
  const user = "ada@example.com";
  const errors = [await failure({ user, token: "pat-wrong-wrong" }), await failure({ user, pageId: "43" })];
  wiki.fail({ status: 200, body: "<html>Log in</html>" }, { status: 403, body: `no ${TOKEN}, no ${BASIC}` });
  errors.push(await failure({ user }), await failure({ user }));
  expect(errors).toEqual([
    expect.stringContaining("HTTP 401"),
    expect.stringContaining("HTTP 404"),
    expect.stringContaining("not from Confluence"),
    expect.stringContaining("no [redacted], no Basic [redacted]"),
  ]);
  expect(wiki.page().version).toBe(7);
});

test("confluence: does not change a page that is too large", async () => {
  await open({ body: "x".repeat(6_000_000) });
  await expect(send()).rejects.toThrow("larger than 5 MB");
  expect(wiki.page().version).toBe(7);
});
