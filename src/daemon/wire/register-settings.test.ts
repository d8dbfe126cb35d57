import { expect, test } from "vitest";
import type { Settings } from "../../core/settings/settings.ts";
import { sampleProject } from "../../testing/store/samples.ts";
import { createKnownSecrets } from "../known-secrets.ts";
import { registerSettings } from "./wire.ts";
import { REGISTRY } from "./registry.ts";

const project = sampleProject({ remote: "https://ci:p%40ss-of-remote@git.internal.net/shop.git" });

// Only the settings that name secrets and channels.
const settings = {
  secrets: { LOGIN: { roles: [] } },
  mcp: {},
  agents: {},
  forge: { kind: "gitlab", tokenEnv: "FORGE_LOGIN", webhookSecretEnv: "CALL", options: {} },
  notify: { channels: { webhook: { url: "https://example.com", secret_env: "HOOK" } }, heartbeat: null },
} as unknown as Settings;

test("settings register their secrets and channels; broken files register only the password of the remote", () => {
  const secrets = createKnownSecrets({
    LOGIN: "login-value",
    FORGE_LOGIN: "forge-value",
    CALL: "call-value",
    HOOK: "hook-value",
  });
  const updates: unknown[] = [];
  const channels = { update: (...args: readonly unknown[]) => void updates.push(args) };
  const listener = registerSettings({ registry: REGISTRY, secrets, channels });
  const text = "login-value forge-value call-value hook-value p@ss-of-remote p%40ss-of-remote";

  listener(project, null);
  expect(secrets.current().redact(text)).toMatch(
    /^login-value forge-value call-value hook-value \[redacted: password_of_shop/,
  );
  expect(secrets.current().redact(text)).not.toContain("of-remote");

  listener(project, settings);
  const clean = secrets.current().redact(text);
  expect(clean).toMatch(/^\[redacted: LOGIN\] \[redacted: FORGE_LOGIN\] \[redacted: CALL\] \[redacted: HOOK\] \[/);
  expect(clean).not.toContain("of-remote");
  expect(updates).toEqual([
    [project, null],
    [project, settings],
  ]);
});
