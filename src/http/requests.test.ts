import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError, StaleTaskError, UserError } from "../core/text/errors.ts";
import type { Task } from "../core/task/task.ts";
import { createApp } from "./app.ts";
import { MAX_BODY } from "./body.ts";
import { problemSchema } from "./contract/problem.ts";
import { taskSchema } from "./contract/task.ts";
import { issuedTokenSchema } from "./contract/token.ts";
import { ADDRESS, type Harness, makeTask, openHarness, OWNER_TOKEN, saveTask } from "./harness.suite.ts";

let api: Harness;
let task: Task;

beforeEach(async () => {
  api = await openHarness();
  task = (await saveTask(api.store, makeTask())).task;
});

afterEach(async () => {
  await api.close();
});

const DRAFT = { project: "shop", description: "Paint it" };

async function problemOf(response: Response) {
  return problemSchema.parse(await response.json());
}

function taskPath(): string {
  return `/api/v1/tasks/${task.id}`;
}

/** Returns the response to a pause request whose command throws. */
async function failWith(error: Error) {
  const commands = api.deps.commands as { pause: unknown }; // the harness made it writable
  commands.pause = async () => {
    throw error;
  };
  return await api.request("POST", `/api/v1/tasks/${task.id}/pause`);
}

describe("API: request bodies", () => {
  it("refuses a content type other than JSON", async () => {
    const response = await api.request("POST", "/api/v1/tasks", {
      body: "a=b",
      headers: { "content-type": "text/plain" },
    });
    expect(response.status).toBe(415);
    expect((await problemOf(response)).detail).toContain("text/plain");
  });

  it("reports the position of a JSON syntax error", async () => {
    const response = await api.request("POST", "/api/v1/tasks", { body: '{\n  "project": "shop" "x": 1 }' });
    expect(response.status).toBe(400);
    expect((await problemOf(response)).issues).toMatchObject([{ line: 2, column: 21 }]);
  });

  it("reports no position if the parser names none", async () => {
    const response = await api.request("POST", "/api/v1/tasks", { body: '{"project": shop}' });
    expect(await problemOf(response)).toMatchObject({ status: 400, issues: [{ line: null, column: null }] });
  });

  it("reports truncated JSON", async () => {
    const response = await api.request("POST", "/api/v1/tasks", { body: '{"project":' });
    expect((await problemOf(response)).issues).toMatchObject([{ line: 1, column: 12 }]);
  });

  it("refuses invalid UTF-8", async () => {
    const response = await api.app.request("http://127.0.0.1:4816/api/v1/tasks", {
      method: "POST",
      headers: { host: "127.0.0.1:4816", authorization: `Bearer ${OWNER_TOKEN}`, "content-type": "application/json" },
      body: new Uint8Array([0x22, 0xff, 0x22]),
    });
    expect(response.status).toBe(400);
    expect((await problemOf(response)).detail).toContain("UTF-8");
  });

  it("accepts at most 2 MB, whatever the Content-Length says", async () => {
    const fits = JSON.stringify(DRAFT).padEnd(MAX_BODY);
    expect((await api.request("POST", "/api/v1/tasks", { body: fits })).status).toBe(201);
    const tooLarge = JSON.stringify({ ...DRAFT, description: "x".repeat(MAX_BODY) });
    expect((await api.request("POST", "/api/v1/tasks", { body: tooLarge })).status).toBe(413);
    const lying = await api.request("POST", "/api/v1/tasks", { body: tooLarge, headers: { "content-length": "10" } });
    expect(lying.status).toBe(413);
  });

  it("refuses a request whose token was removed before its body was complete", async () => {
    const created = await api.request("POST", "/api/v1/tokens", { body: { name: "bob", rights: ["submit"] } });
    const { token } = issuedTokenSchema.parse(await created.json());
    const rest = Promise.withResolvers<void>();
    const waits = Promise.withResolvers<void>();
    const body = new ReadableStream({
      async pull(controller) {
        waits.resolve();
        await rest.promise;
        controller.enqueue(new TextEncoder().encode(JSON.stringify(DRAFT)));
        controller.close();
      },
    });
    const response = api.app.request("http://127.0.0.1:4816/api/v1/tasks", {
      method: "POST",
      headers: { host: "127.0.0.1:4816", authorization: `Bearer ${token}`, "content-type": "application/json" },
      body,
      duplex: "half",
    });
    await waits.promise;
    expect((await api.request("DELETE", "/api/v1/tokens/bob")).status).toBe(204);
    rest.resolve();
    expect((await response).status).toBe(401);
    expect(api.calls.filter(([command]) => command === "submit")).toEqual([]);
  });

  it("keeps an error short, whatever the request contains", async () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`unknown key ${index}`, index]));
    const response = await api.request("POST", "/api/v1/tasks", { body: { ...DRAFT, ...many } });
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(text.length).toBeLessThan(20_000);
    expect(text).toContain("unknown key 0");
    const answers = { ["x".repeat(1_000_000)]: "yes" };
    const longKey = await api.request("POST", `${taskPath()}/answer`, { body: { answers } });
    expect((await longKey.text()).length).toBeLessThan(20_000);
  });

  it("names the limit of a value that is too long, and of a list with too many entries", async () => {
    const tags = Array.from({ length: 250 }, (_, index) => `tag ${index}`);
    const response = await api.request("POST", "/api/v1/tasks", { body: { ...DRAFT, tags, project: "x".repeat(300) } });
    expect(response.status).toBe(400);
    const { issues } = await problemOf(response);
    expect(issues.map(({ key, message }) => `${key}: ${message}`)).toEqual([
      expect.stringMatching(/^project: .*200/),
      expect.stringMatching(/^tags: .*20/),
    ]);
    expect(api.calls).toEqual([]);
  });

  it("lists all problems at once", async () => {
    const response = await api.request("POST", "/api/v1/tasks", {
      body: { description: "", priority: "soon", colour: "red" },
    });
    expect(response.status).toBe(400);
    const { issues, detail } = await problemOf(response);
    expect(issues.map(({ key }) => key).toSorted()).toEqual(["", "description", "priority", "project"]);
    expect(detail).toContain("colour");
  });

  it("refuses unknown and invalid query parameters", async () => {
    const response = await api.request("GET", "/api/v1/tasks?status=queued,sleeping&limit=0&page=2");
    expect((await problemOf(response)).issues.map(({ key }) => key)).toEqual(
      expect.arrayContaining(["status.1", "limit", ""]),
    );
  });
});

describe("API: ids", () => {
  it("finds a task by any unique prefix, with or without task_", async () => {
    for (const id of [task.id, task.id.slice(0, 9), task.id.slice("task_".length, 10)]) {
      expect(await (await api.request("GET", `/api/v1/tasks/${id}`)).json()).toMatchObject({ id: task.id });
    }
  });

  it("lists the candidates of an ambiguous prefix", async () => {
    await saveTask(api.store, makeTask({ id: "task_aaaaaaaa01" }));
    await saveTask(api.store, makeTask({ id: "task_aaaaaaaa02" }));
    const response = await api.request("POST", "/api/v1/tasks/aaaa/cancel");
    expect(response.status).toBe(400);
    expect((await problemOf(response)).detail).toMatch(/task_aaaaaaaa01.*task_aaaaaaaa02/);
    expect(api.calls).toEqual([]);
  });

  it("prefers an exact id over longer ids with the same prefix", async () => {
    await saveTask(api.store, makeTask({ id: "task_bbbbbbbb0" }));
    await saveTask(api.store, makeTask({ id: "task_bbbbbbbb01" }));
    expect((await api.request("GET", "/api/v1/tasks/task_bbbbbbbb0")).status).toBe(200);
  });

  it("responds 404 to an unknown id and 400 to an invalid one", async () => {
    expect((await api.request("GET", "/api/v1/tasks/zzzzzzzz")).status).toBe(404);
    expect((await api.request("GET", "/api/v1/runs/zzzzzzzz")).status).toBe(404);
    expect((await api.request("GET", "/api/v1/tasks/%25")).status).toBe(400);
  });

  it("passes the full id and the caller to commands", async () => {
    await api.request("POST", `/api/v1/tasks/${task.id.slice(0, 12)}/approve`, { body: { plan_hash: "h" } });
    expect(api.calls).toEqual([
      ["approve", task.id, "h", { kind: "person", name: "alice", rights: ["admin"], via: "api" }],
    ]);
  });
});

describe("API: Idempotency-Key", () => {
  const headers = { "idempotency-key": "k1" };

  it("performs the same request once, even if both arrive at the same time", async () => {
    const both = await Promise.all([1, 2].map(() => api.request("POST", "/api/v1/tasks", { body: DRAFT, headers })));
    const later = await api.request("POST", "/api/v1/tasks", { body: DRAFT, headers });
    const ids = await Promise.all([...both, later].map(async (response) => taskSchema.parse(await response.json()).id));
    expect(new Set(ids).size).toBe(1);
    expect([...both, later].map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(api.calls).toHaveLength(1);
  });

  it("refuses to reuse a key for a different request", async () => {
    await api.request("POST", "/api/v1/tasks", { body: DRAFT, headers });
    const other = await api.request("POST", "/api/v1/tasks", { body: { ...DRAFT, title: "Other" }, headers });
    expect(other.status).toBe(409);
    expect(api.calls).toHaveLength(1);
  });

  it("does not replay one person's response to another", async () => {
    const response = await api.request("POST", "/api/v1/tokens", { body: { name: "bob", rights: ["submit"] } });
    const made = issuedTokenSchema.parse(await response.json());
    await api.request("POST", "/api/v1/tasks", { body: DRAFT, headers });
    await api.request("POST", "/api/v1/tasks", {
      body: DRAFT,
      headers: { ...headers, authorization: `Bearer ${made.token}` },
    });
    expect(api.calls).toHaveLength(2);
  });

  it("creates one task if the response was lost between commit and storing it", async () => {
    const forgetful = {
      ...api.deps.store,
      people: { ...api.deps.store.people, recallAnswer: async () => null },
    };
    const app = createApp({ ...api.deps, store: forgetful }, ADDRESS);
    const send = async () =>
      await app.request("http://127.0.0.1:4816/api/v1/tasks", {
        method: "POST",
        headers: {
          host: "127.0.0.1:4816",
          authorization: `Bearer ${OWNER_TOKEN}`,
          "content-type": "application/json",
          ...headers,
        },
        body: JSON.stringify(DRAFT),
      });
    const first = taskSchema.parse(await (await send()).json());
    const second = taskSchema.parse(await (await send()).json());
    app.close();
    expect(api.calls).toHaveLength(2);
    expect(second.id).toBe(first.id);
  });

  it("allows a refused request to be retried", async () => {
    const commands = api.deps.commands as { pause: unknown }; // the harness made it writable
    const pause = commands.pause;
    commands.pause = async () => {
      throw new UserError("conflict", "It is not running.", "Wait.");
    };
    const path = `/api/v1/tasks/${task.id}/pause`;
    expect((await api.request("POST", path, { headers })).status).toBe(409);
    commands.pause = pause;
    expect((await api.request("POST", path, { headers })).status).toBe(200);
  });

  it("never stores the secret of a new token", async () => {
    const response = await api.request("POST", "/api/v1/tokens", { body: { name: "bob", rights: [] }, headers });
    expect(response.status).toBe(201);
    expect(await api.store.people.recallAnswer("alice:k1")).toBeNull();
  });

  it("refuses a key that is too long", async () => {
    const response = await api.request("POST", `/api/v1/tasks/${task.id}/pause`, {
      headers: { "idempotency-key": "k".repeat(201) },
    });
    expect(response.status).toBe(400);
  });
});

describe("API: errors", () => {
  it.each([
    ["invalid", 400],
    ["not_found", 404],
    ["conflict", 409],
    ["forbidden", 403],
    ["unavailable", 503],
  ] as const)("turns %s into %i with its hint", async (kind, status) => {
    const response = await failWith(new UserError(kind, "No.", "Do that."));
    expect(response.status).toBe(status);
    expect(await problemOf(response)).toMatchObject({
      detail: "No.",
      hint: "Do that.",
      type: `urn:nightshift:problem:${kind}`,
    });
  });

  it("includes the issues of an invalid configuration file", async () => {
    const issue = { file: "nightshift.yaml", line: 3, column: 5, key: "checks", message: "unknown key" };
    const response = await failWith(new ConfigError([issue]));
    expect(response.status).toBe(422);
    expect((await problemOf(response)).issues).toEqual([issue]);
  });

  it("asks to retry if the task has changed meanwhile", async () => {
    expect((await failWith(new StaleTaskError("version 3"))).status).toBe(409);
  });

  it("hides the text of an unexpected error and logs it with the reported id", async () => {
    const response = await failWith(new TypeError("secret at /home/alice"));
    expect(response.status).toBe(500);
    const { detail, hint } = await problemOf(response);
    expect(`${detail} ${hint}`).not.toContain("secret");
    const id = /id (\w+)/.exec(detail)?.[1] ?? "none";
    expect(api.logged.some((line) => line.includes(id) && line.includes("secret at"))).toBe(true);
  });
});
