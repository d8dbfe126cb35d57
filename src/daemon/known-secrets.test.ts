import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createKnownSecrets } from "./known-secrets.ts";
import { createLogger } from "./logger.ts";

describe("known secrets", () => {
  it("include credentials of the environment, recognized by name and value", () => {
    const { current } = createKnownSecrets({
      GH_TOKEN: "aaaabbbb",
      SHOP_API_KEY: "q7Lw2-Zx81pv",
      SHOP_FLAG_KEY: "aaaaaaaaaaaaaaaa",
      SSH_KEY: "/home/me/.ssh/id_ed25519",
      EDITOR: "some-editor-9x",
      DATABASE_URL: "postgres://app:hunter2hunter2@db/app",
    });
    const text = "aaaabbbb q7Lw2-Zx81pv aaaaaaaaaaaaaaaa /home/me/.ssh/id_ed25519 some-editor-9x hunter2hunter2";
    expect(current().redact(text)).toBe(
      "[redacted: GH_TOKEN] [redacted: SHOP_API_KEY] aaaaaaaaaaaaaaaa /home/me/.ssh/id_ed25519 some-editor-9x [redacted: DATABASE_URL]",
    );
  });

  it("include the registered variables, and keep them", () => {
    const known = createKnownSecrets({ LOGIN: "login-value" });
    expect(known.current().redact("login-value")).toBe("login-value");
    known.addVariables(["LOGIN", "NOT_SET"]);
    known.addVariables([]);
    expect(known.current().redact("login-value")).toBe("[redacted: LOGIN]");
    expect(known.values()).toContainEqual({ name: "LOGIN", value: "login-value" });
  });

  it("reuse the redactor until a secret is added", () => {
    const known = createKnownSecrets({ GH_TOKEN: "aaaabbbb" });
    const before = known.current();
    known.add({ name: "GH_TOKEN", value: "aaaabbbb" });
    expect(known.current()).toBe(before);
    known.add({ name: "NIGHTSHIFT_TOKEN", value: "ccccdddd" });
    expect(known.current().redact("ccccdddd")).toBe("[redacted: NIGHTSHIFT_TOKEN]");
  });

  it("report secrets that are too short to redact", () => {
    const known = createKnownSecrets({ GH_TOKEN: "short" });
    expect(known.problems()).toEqual([expect.stringContaining("GH_TOKEN has fewer than 8 characters")]);
    expect(known.current().redact("short")).toBe("short");
  });
});

describe("the daemon's log", () => {
  const dirs: string[] = [];
  afterEach(() => {
    for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
  });

  it("contains no secret in messages, fields, keys or stacks, and stays valid JSON", () => {
    const dir = mkdtempSync(join(tmpdir(), "nightshift-log-"));
    dirs.push(dir);
    const known = createKnownSecrets({ GH_TOKEN: 'with "quotes" inside', NPM_TOKEN: "12345678" });
    const echoed: string[] = [];
    const log = createLogger({ dir, echo: (line) => void echoed.push(line), redactor: known.current });
    const secret = 'with "quotes" inside';
    log.error(`failed for ${secret}`, {
      [secret]: 1,
      error: new Error(secret).stack,
      number: 12345678,
      plain: "12345678",
    });
    known.add({ name: "NIGHTSHIFT_TOKEN", value: "learned-later" });
    log.info("learned-later", {});
    log.info("nothing special", { run: "r1" });

    const file = readFileSync(join(dir, readdirSync(dir)[0] ?? ""), "utf8");
    expect(file).toBe(echoed.join(""));
    expect(file).not.toContain("quotes");
    const [failed, later, plain] = echoed.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(failed).toMatchObject({
      level: "error",
      msg: "failed for [redacted: GH_TOKEN]",
      plain: "[redacted: NPM_TOKEN]",
    });
    expect(later).toMatchObject({ msg: "[redacted: NIGHTSHIFT_TOKEN]" });
    expect(plain).toMatchObject({ level: "info", msg: "nothing special", run: "r1" });
  });
});
