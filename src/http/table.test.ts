import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Right } from "../core/task/requester.ts";
import { hashToken } from "./auth.ts";
import { problemSchema } from "./contract/problem.ts";
import { type Access, BASE, type Route } from "./contract/route.ts";
import { ROUTES } from "./contract/routes.ts";
import { type Harness, makeEvent, NOW, openHarness } from "./harness.suite.ts";

let api: Harness;

beforeAll(async () => {
  api = await openHarness();
  for (const right of ["submit", "approve", "admin"] as const) await addToken(right, [right]);
  await addToken("reader", []);
});

afterAll(async () => {
  await api.close();
});

async function addToken(name: string, rights: readonly Right[]): Promise<void> {
  await api.store.people.addToken({ name, hash: hashToken(`secret-of-${name}`), rights, createdAt: NOW }, makeEvent());
}

const rows = Object.entries<Route>(ROUTES).map(([key, row]) => {
  const [method = "", path = ""] = key.split(" ");
  return { key, method, path: `${BASE}${path.replaceAll(/:\w+/g, "nothing")}`, row };
});
const guarded = rows.filter(({ row }) => row.right !== null);

/** A body that no schema accepts: an authorized caller gets 400, and nothing happens. */
const NONSENSE = { nonsense: true };

async function statusFor(name: string | null, { method, path, row }: (typeof rows)[number]): Promise<number> {
  const headers = { authorization: name === null ? "" : `Bearer secret-of-${name}` };
  const response = await api.request(method, path, row.body === null ? { headers } : { headers, body: NONSENSE });
  await response.body?.cancel();
  return response.status;
}

function keysFor(right: Access): string[] {
  return rows
    .filter(({ row }) => row.right === right)
    .map(({ key }) => key)
    .toSorted();
}

function verbs(...names: string[]): string[] {
  return names.map((name) => `POST /tasks/:id/${name}`);
}

describe("API: every route", () => {
  it.each(guarded)("$key refuses without a token", async (route) => {
    expect(await statusFor(null, route)).toBe(401);
    expect(await statusFor("nobody-we-know", route)).toBe(401);
  });

  it.each(guarded)("$key accepts only callers with the right", async (route) => {
    const { right } = route.row;
    for (const name of ["reader", "submit", "approve", "admin"]) {
      const isAllowed = right === "read" || name === "admin" || name === right;
      const status = await statusFor(name, route);
      expect(status === 403, `${name} got ${status}`).toBe(!isAllowed);
    }
  });

  it.each(rows)("$key refuses a foreign Host and a foreign Origin", async ({ method, path }) => {
    const foreignHost = await api.request(method, path, { headers: { host: "evil.example:4816" } });
    expect(foreignHost.status).toBe(403);
    const foreignPort = await api.request(method, path, { headers: { host: "127.0.0.1:80" } });
    expect(foreignPort.status).toBe(403);
    const foreignOrigin = await api.request(method, path, { headers: { origin: "http://evil.example" } });
    expect(foreignOrigin.status).toBe(403);
    expect(problemSchema.parse(await foreignOrigin.json()).detail).toContain("evil.example");
  });

  it("needs the documented right", () => {
    expect(keysFor(null)).toEqual(["GET /healthz", "POST /projects/:name/forge-hook", "POST /session"]);
    expect(keysFor("submit")).toEqual([
      "POST /agents/:name/retry",
      "POST /improve/plan",
      "POST /projects/:name/checks",
      "POST /schedules/:name/run",
      "POST /tasks",
      ...verbs("cancel", "follow-up", "kill", "pause", "resume", "retry", "run"),
      "POST /tasks/preview",
    ]);
    expect(keysFor("approve")).toEqual([
      "DELETE /rules/:id",
      "POST /proposals/:id/reason",
      "POST /rules",
      "POST /rules/:id",
      ...verbs("answer", "apply", "approve", "choose", "comments", "merge", "reject", "revise"),
    ]);
    // A person who may only read can also sign in and out.
    const writes = keysFor("read").filter((key) => !key.startsWith("GET "));
    expect(writes).toEqual(["DELETE /session", "POST /session/links"]);
  });
});

interface Description extends Record<string, unknown> {
  readonly info: { readonly version: string };
  readonly paths: Record<string, Record<string, { readonly operationId: string }>>;
  readonly components: { readonly schemas: Record<string, unknown> };
}

async function readDescription(): Promise<Description> {
  return (await (await api.request("GET", `${BASE}/openapi.json`)).json()) as Description; // the validator checks it
}

describe("API: openapi.json", () => {
  it("is valid OpenAPI 3.1 and has every route", async () => {
    const document = await readDescription();
    const result = await new Validator().validate(structuredClone(document));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    for (const { key } of rows) {
      const [method = "", path = ""] = key.split(" ");
      expect(document.paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()], key).toBeDefined();
    }
    expect(document.info.version).toBe("1.2.3");
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(["Task", "Run", "Event", "Problem"]),
    );
    expect(JSON.stringify(document)).not.toContain("#/$defs/");
  });

  it("gives every operation a unique id", async () => {
    const document = await readDescription();
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(rows.length);
  });
});

it("API: unknown routes and missing files of the page get 404", async () => {
  for (const path of [`${BASE}/nothing`, "/api/v2/tasks", "/assets/missing.js"]) {
    const response = await api.request("GET", path);
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(problemSchema.parse(await response.json()).detail).toContain(path);
  }
});

it("API: every response has the security headers", async () => {
  for (const path of [`${BASE}/healthz`, `${BASE}/nothing`, `${BASE}/tasks`]) {
    const { headers } = await api.request("GET", path);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(headers.get("cache-control")).toBe("no-store");
  }
});
