import { expect, it } from "vitest";
import { ConfigError } from "../../core/text/errors.ts";
import type { EnginePorts } from "../../engine/ports.ts";
import { createHookVerifier } from "./wire-forges.ts";
import { FORGES } from "../../adapters/forges/index.ts";

const SECRET = "a-secret-of-the-webhook";

/** GitLab's calls are verified without reading the body. */
const body = () => Promise.reject(new Error("the body was read"));

function createVerifier(options: { forge?: object | null; secret?: string; isBroken?: boolean; token?: string }) {
  const polled: string[] = [];
  const ports = {
    host: { env: { HOOK: options.secret ?? SECRET, "": "no-name" } },
    store: { projects: { getProject: async (name: string) => (name === "shop" ? { name } : null) } },
    projects: {
      lastGood: async () => {
        if (options.isBroken === true) throw new ConfigError([]);
        return { forge: options.forge === undefined ? { kind: "gitlab", webhookSecretEnv: "HOOK" } : options.forge };
      },
    },
  } as unknown as EnginePorts;
  const verifyHook = createHookVerifier(FORGES, ports, (project) => void polled.push(project));
  const header = (name: string) => (name === "x-gitlab-token" ? (options.token ?? SECRET) : null);
  return { polled, verify: (project = "shop") => verifyHook(project, { header, body }) };
}

it("webhook: a call with the right secret is accepted and polls the forge", async () => {
  const { verify, polled } = createVerifier({});
  expect([await verify(), polled]).toEqual(["accepted", ["shop"]]);
});

it("webhook: a call with a wrong secret is rejected", async () => {
  const { verify, polled } = createVerifier({ token: "another" });
  expect([await verify(), polled]).toEqual(["rejected", []]);
});

it.each([
  ["there is no forge", { forge: null }],
  ["no variable is configured", { forge: { kind: "gitlab", webhookSecretEnv: null }, token: "no-name" }],
  ["the variable is empty", { secret: " ", token: "" }],
  ["the files were never valid", { isBroken: true }],
])("webhook: a project has none if %s", async (_, options) => {
  const { verify, polled } = createVerifier(options);
  expect([await verify(), polled]).toEqual([null, []]);
});

it("webhook: an unknown project has none", async () => {
  const { verify, polled } = createVerifier({});
  expect([await verify("blog"), polled]).toEqual([null, []]);
});
