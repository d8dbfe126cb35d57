import { expect, it } from "vitest";
import { ConfigError } from "../../core/text/errors.ts";
import type { EnginePorts } from "../../engine/ports.ts";
import { createHookVerifier } from "./wire-forge-hooks.ts";
import { FORGES } from "../../adapters/forges/index.ts";

const SECRET = "a-secret-of-the-webhook";

/** GitLab's calls are judged without theirs. */
const body = () => Promise.reject(new Error("the body was read"));

function judge(given: { forge?: object | null; secret?: string; isBroken?: boolean; token?: string }) {
  const looked: string[] = [];
  const ports = {
    host: { env: { HOOK: given.secret ?? SECRET, "": "nobody's" } },
    store: { projects: { getProject: async (name: string) => (name === "shop" ? { name } : null) } },
    projects: {
      lastGood: async () => {
        if (given.isBroken === true) throw new ConfigError([]);
        return { forge: given.forge === undefined ? { kind: "gitlab", webhookSecretEnv: "HOOK" } : given.forge };
      },
    },
  } as unknown as EnginePorts;
  const ask = createHookVerifier(FORGES, ports, (project) => void looked.push(project));
  const header = (name: string) => (name === "x-gitlab-token" ? (given.token ?? SECRET) : null);
  return { looked, ask: (project = "shop") => ask(project, { header, body }) };
}

it("has the project looked at when the secret is right", async () => {
  const { ask, looked } = judge({});
  expect([await ask(), looked]).toEqual(["taken", ["shop"]]);
});

it("does nothing when it is wrong", async () => {
  const { ask, looked } = judge({ token: "another" });
  expect([await ask(), looked]).toEqual(["refused", []]);
});

it.each([
  ["there is no forge", { forge: null }],
  ["no variable is named", { forge: { kind: "gitlab", webhookSecretEnv: null }, token: "nobody's" }],
  ["the variable is empty", { secret: " ", token: "" }],
  ["the files were never right", { isBroken: true }],
])("expects no webhook where %s", async (_, given) => {
  const { ask, looked } = judge(given);
  expect([await ask(), looked]).toEqual([null, []]);
});

it("expects none for a project that is not there", async () => {
  const { ask, looked } = judge({});
  expect([await ask("blog"), looked]).toEqual([null, []]);
});
