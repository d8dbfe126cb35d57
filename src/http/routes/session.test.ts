import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADDRESS, type Harness, openHarness, OWNER_TOKEN } from "../harness.suite.ts";

const ORIGIN = "http://127.0.0.1:4816";
const MINUTE = 60_000;
const PROXY = "https://night.example.com";

let api: Harness;

beforeEach(async () => {
  api = await openHarness();
});

afterEach(async () => {
  await api.close();
});

interface Link {
  readonly url: string;
  readonly until: string;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const json = async <T>(response: Response): Promise<T> => (await response.json()) as T;

async function addPerson(name: string, rights: readonly string[]): Promise<string> {
  const response = await api.request("POST", "/api/v1/tokens", { body: { name, rights } });
  return (await json<{ readonly token: string }>(response)).token;
}

async function createLink(token = OWNER_TOKEN, body: object = {}): Promise<Link> {
  const response = await api.request("POST", "/api/v1/session/links", { body, headers: bearer(token) });
  expect(response.status).toBe(201);
  return json(response);
}

const codeOf = ({ url }: Link): string => new URL(url).hash.slice(1);

/** Like the page: without a token, with the page's Origin. */
async function signIn(code: string, { replace = false, cookie = "", headers = {} } = {}): Promise<Response> {
  return api.request("POST", "/api/v1/session", {
    body: { code, replace },
    headers: { authorization: "", origin: ORIGIN, cookie, ...headers },
  });
}

/** The name and the value of the cookie that a response sets. */
function cookieOf(response: Response): string {
  return (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

async function signedIn(token = OWNER_TOKEN): Promise<string> {
  const response = await signIn(codeOf(await createLink(token)));
  expect(response.status).toBe(200);
  return cookieOf(response);
}

const withCookie = (cookie: string) => ({ authorization: "", cookie, origin: ORIGIN });

async function whoIs(cookie: string): Promise<unknown> {
  const response = await api.request("GET", "/api/v1/session", { headers: withCookie(cookie) });
  return response.status === 200 ? await response.json() : response.status;
}

describe("sign-in links", () => {
  it("a link signs a browser in as the person who created it, with their rights", async () => {
    const cookie = await signedIn();
    expect(await whoIs(cookie)).toMatchObject({
      name: "alice",
      rights: ["admin"],
      browser: { until: "2026-12-15T22:00:00.000Z" },
    });
    expect(await whoIs(await signedIn(await addPerson("bob", ["submit"])))).toMatchObject({
      name: "bob",
      rights: ["submit"],
    });
  });

  it("a link shows the requested page of this daemon and has its code behind the #", async () => {
    const { url, until } = await createLink(OWNER_TOKEN, { path: "/tasks/task_1?tab=diff" });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:4816\/sign-in\?next=%2Ftasks%2Ftask_1%3Ftab%3Ddiff#[\w-]{43}$/);
    expect(until).toBe("2026-11-15T22:10:00.000Z");
  });

  it.each(["https://evil.example", "//evil.example", "/\\evil.example", "tasks"])(
    "a link cannot lead to %s",
    async (path) => {
      const response = await api.request("POST", "/api/v1/session/links", { body: { path } });
      expect(response.status).toBe(400);
    },
  );

  it("an admin creates a link for another person, and the event says so", async () => {
    await addPerson("bob", ["submit"]);
    const cookie = cookieOf(await signIn(codeOf(await createLink(OWNER_TOKEN, { person: "bob" }))));
    expect(await whoIs(cookie)).toMatchObject({ name: "bob", rights: ["submit"] });
    const events = await api.store.events.listEvents({ after: 0, task: null, limit: 9 });
    expect(events.at(-1)).toMatchObject({
      type: "session.started",
      actor: { kind: "person", name: "bob" },
      summary: "bob signed in in a browser with a link from alice",
    });
  });

  it("a person without the right admin creates links only for themselves", async () => {
    const bob = await addPerson("bob", ["approve"]);
    await addPerson("carol", ["admin"]);
    for (const person of ["carol", "alice"]) {
      const body = { person };
      const response = await api.request("POST", "/api/v1/session/links", { body, headers: bearer(bob) });
      expect(response.status).toBe(403);
    }
    expect(await createLink(bob, { person: "bob" })).toMatchObject({ url: expect.any(String) });
  });

  it("a link for the owner can be created only by the owner", async () => {
    const carol = await addPerson("carol", ["admin"]);
    const body = { person: "alice" };
    const response = await api.request("POST", "/api/v1/session/links", { body, headers: bearer(carol) });
    expect(response.status).toBe(404);
    expect((await json<{ readonly detail: string }>(response)).detail).toContain("alice runs the daemon");
  });

  it("a link for an unknown person is refused with the command that adds them", async () => {
    const response = await api.request("POST", "/api/v1/session/links", { body: { person: "dora" } });
    expect(response.status).toBe(404);
    expect(await json(response)).toMatchObject({ hint: expect.stringContaining("nightshift token add dora") });
  });
});

describe("refused sign-ins", () => {
  it("a code works once", async () => {
    const code = codeOf(await createLink());
    expect((await signIn(code)).status).toBe(200);
    const second = await signIn(code);
    expect(second.status).toBe(403);
    expect(second.headers.get("set-cookie")).toBeNull();
  });

  it("of two browsers with the same code at the same time, one is signed in", async () => {
    const code = codeOf(await createLink());
    const responses = await Promise.all([signIn(code), signIn(code), signIn(code)]);
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403, 403]);
  });

  it("a code expires after ten minutes", async () => {
    const codes = [codeOf(await createLink()), codeOf(await createLink())] as const;
    await api.clock.advance(10 * MINUTE - 1);
    expect((await signIn(codes[0])).status).toBe(200);
    await api.clock.advance(1);
    expect((await signIn(codes[1])).status).toBe(403);
  });

  it("a code of a person whose token was removed is refused, also if the name is used again", async () => {
    const code = codeOf(await createLink(await addPerson("bob", ["submit"])));
    await api.request("DELETE", "/api/v1/tokens/bob");
    await addPerson("bob", ["admin"]);
    expect((await signIn(code)).status).toBe(403);
  });

  it.each(["x", "a".repeat(43), "../../etc/passwd", "%00"])("the code %s is refused", async (code) => {
    expect((await signIn(code)).status).toBe(403);
  });

  it("a page of another origin cannot sign a browser in", async () => {
    const code = codeOf(await createLink());
    for (const origin of ["https://evil.example", "http://127.0.0.1:4817", "null"])
      expect((await signIn(code, { headers: { origin } })).status).toBe(403);
    expect((await signIn(code)).status).toBe(200);
  });

  it("opening the address of a link does not use it up", async () => {
    const { url } = await createLink(OWNER_TOKEN, { path: "/inbox" });
    const { pathname, search } = new URL(url);
    // A preview or a prefetching browser does not send what follows the #.
    for (let times = 0; times < 3; times += 1)
      await api.request("GET", `${pathname}${search}`, { headers: { authorization: "" } });
    expect((await signIn(codeOf({ url, until: "" }))).status).toBe(200);
  });

  it("a link of another person does not replace a session without a confirmation", async () => {
    const own = await signedIn();
    const code = codeOf(await createLink(await addPerson("mallory", [])));
    const asked = await signIn(code, { cookie: own });
    expect(asked.status).toBe(409);
    expect(await json(asked)).toMatchObject({
      detail: "This browser is signed in as alice. The link is for mallory.",
    });
    expect(await whoIs(own)).toMatchObject({ name: "alice" });
    const confirmed = await signIn(code, { cookie: own, replace: true });
    expect(await whoIs(cookieOf(confirmed))).toMatchObject({ name: "mallory" });
    expect(await whoIs(own)).toBe(401);
  });
});

describe("sessions", () => {
  it("a new session has a new secret and ends the previous one of this browser", async () => {
    const first = await signedIn();
    const second = cookieOf(await signIn(codeOf(await createLink()), { cookie: first }));
    expect(second).not.toBe(first);
    expect(await whoIs(first)).toBe(401);
    expect(await whoIs(second)).toMatchObject({ name: "alice" });
  });

  it("a secret that an attacker set before is not accepted after the sign-in", async () => {
    const planted = "nightshift_4816=planted";
    const cookie = cookieOf(await signIn(codeOf(await createLink()), { cookie: planted }));
    expect(await whoIs(planted)).toBe(401);
    expect(await whoIs(cookie)).toMatchObject({ name: "alice" });
  });

  it("rights are those of now, and a removed token ends the session", async () => {
    const cookie = await signedIn(await addPerson("bob", ["submit"]));
    await api.request("DELETE", "/api/v1/tokens/bob");
    expect(await whoIs(cookie)).toBe(401);
    await addPerson("bob", ["admin"]);
    expect(await whoIs(cookie)).toBe(401);
  });

  it("a session ends after 30 days", async () => {
    const cookie = await signedIn();
    await api.clock.advance(30 * 24 * 60 * MINUTE - 1);
    expect(await whoIs(cookie)).toMatchObject({ name: "alice" });
    await api.clock.advance(1);
    expect(await whoIs(cookie)).toBe(401);
  });

  it("signing out ends the session and removes the cookie", async () => {
    const cookie = await signedIn();
    const response = await api.request("DELETE", "/api/v1/session", { headers: withCookie(cookie) });
    expect(response.status).toBe(204);
    expect(response.headers.get("set-cookie")).toBe("nightshift_4816=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict");
    expect(await whoIs(cookie)).toBe(401);
  });

  it("signing out of one browser leaves the others signed in", async () => {
    const [first, second] = [await signedIn(), await signedIn()];
    await api.request("DELETE", "/api/v1/session", { headers: withCookie(first) });
    expect(await whoIs(second)).toMatchObject({ name: "alice" });
  });

  it("a request with a token has no session to end", async () => {
    expect((await api.request("DELETE", "/api/v1/session")).status).toBe(409);
  });

  it("a cookie is accepted for changes only with our own Origin", async () => {
    const cookie = await signedIn();
    const bare = { authorization: "", cookie };
    for (const [method, path] of [
      ["DELETE", "/api/v1/session"],
      ["POST", "/api/v1/session/links"],
      ["POST", "/api/v1/daemon/stop"],
    ] as const) {
      const body = method === "POST" ? { body: {} } : {};
      expect((await api.request(method, path, { ...body, headers: bare })).status).toBe(401);
      const foreign = { ...bare, origin: "https://evil.example" };
      expect((await api.request(method, path, { ...body, headers: foreign })).status).toBe(403);
    }
    expect(api.stops).toEqual([]);
    expect(await whoIs(cookie)).toMatchObject({ name: "alice" });
  });

  it("a signed-in person creates a link for another device", async () => {
    const cookie = await signedIn(await addPerson("bob", ["submit"]));
    const response = await api.request("POST", "/api/v1/session/links", { body: {}, headers: withCookie(cookie) });
    const link = await json<Link>(response);
    expect(await whoIs(cookieOf(await signIn(codeOf(link))))).toMatchObject({ name: "bob", rights: ["submit"] });
  });

  it("the rights of the person apply to requests with a cookie", async () => {
    const cookie = await signedIn(await addPerson("bob", ["submit"]));
    const response = await api.request("POST", "/api/v1/tokens", {
      body: { name: "eve", rights: ["admin"] },
      headers: withCookie(cookie),
    });
    expect(response.status).toBe(403);
  });

  it("codes and hashes are no cookies, and a forged cookie is refused", async () => {
    const code = codeOf(await createLink());
    const cookie = await signedIn();
    const secret = cookie.split("=")[1] ?? "";
    const { hashToken } = await import("../auth.ts");
    const forged = [code, OWNER_TOKEN, hashToken(secret), `${secret}x`, secret.slice(1), "x.y", "", "%00"];
    for (const value of forged) expect(await whoIs(`nightshift_4816=${value}`)).toBe(401);
    expect((await signIn(secret)).status).toBe(403);
    expect(await whoIs(`other=1; ${cookie}; more=2`)).toMatchObject({ name: "alice" });
  });
});

describe("what is stored and sent", () => {
  it("neither the log nor the events nor the stored answers contain a secret", async () => {
    const code = codeOf(await createLink());
    const headers = { "idempotency-key": "k1" };
    const cookie = cookieOf(await signIn(code, { headers }));
    const secret = cookie.split("=")[1] ?? "none";
    await signIn(code);
    const events = await api.store.events.listEvents({ after: 0, task: null, limit: 99 });
    const kept = [...api.logged, JSON.stringify(events)].join("\n");
    expect(kept).not.toContain(code);
    expect(kept).not.toContain(secret);
    expect(await api.store.people.recallAnswer("anyone:k1")).toBeNull();
    expect(await api.store.people.findSignIn("session", secret)).toBeNull();
  });

  it("responses forbid to send the address as a Referer", async () => {
    for (const path of ["/sign-in", "/api/v1/session"]) {
      const response = await api.request("GET", path, { headers: { authorization: "" } });
      expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    }
  });

  it("on loopback, the cookie is for this port and not for scripts", async () => {
    const response = await signIn(codeOf(await createLink()));
    expect(response.headers.get("set-cookie")).toMatch(
      /^nightshift_4816=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
  });
});

describe("behind a TLS proxy", () => {
  beforeEach(async () => {
    await api.close();
    api = await openHarness(undefined, { ...ADDRESS, publicUrl: PROXY });
  });

  const PUBLIC = { host: "night.example.com", origin: PROXY };

  it("links have the public address, and the cookie is sent only over https and only to this host", async () => {
    const link = await createLink();
    expect(link.url).toMatch(/^https:\/\/night\.example\.com\/sign-in#/);
    const response = await signIn(codeOf(link), { headers: PUBLIC });
    expect(response.headers.get("set-cookie")).toMatch(
      /^__Host-nightshift_4816=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure$/,
    );
    const headers = { authorization: "", cookie: cookieOf(response), ...PUBLIC };
    expect((await api.request("GET", "/api/v1/session", { headers })).status).toBe(200);
  });

  it("a cookie that another name of the domain can set is ignored", async () => {
    const plain = (await signedIn()).replace("__Host-", "");
    const headers = { authorization: "", cookie: plain, ...PUBLIC };
    expect((await api.request("GET", "/api/v1/session", { headers })).status).toBe(401);
  });

  it("a proxy that replaces the Host still works", async () => {
    const response = await signIn(codeOf(await createLink()), { headers: { origin: PROXY } });
    expect(cookieOf(response)).toMatch(/^__Host-/);
    const headers = { authorization: "", cookie: cookieOf(response) };
    expect((await api.request("GET", "/api/v1/session", { headers })).status).toBe(200);
  });
});
