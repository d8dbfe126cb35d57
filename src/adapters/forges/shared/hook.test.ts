import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { githubForge } from "../github/definition.ts";
import { gitlabForge } from "../gitlab/definition.ts";

const SECRET = "webhook-secret-0123456789";
const BODY = Buffer.from('{"action":"closed"}');

function call(headers: Readonly<Record<string, string>>, body: Uint8Array = BODY) {
  return { header: (name: string) => headers[name] ?? null, body: async () => body };
}

const failOnRead = () => Promise.reject(new Error("the body was read"));

function callWithoutBody(headers: Readonly<Record<string, string>>) {
  return { ...call(headers), body: failOnRead };
}

const sign = (secret: string, body: Uint8Array = BODY): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

describe("webhook authentication", () => {
  it("accepts GitHub's signature of the body", async () => {
    // The example of GitHub's documentation on validating deliveries.
    const [secret, text] = ["It's a Secret to Everybody", "Hello, World!"];
    const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    const example = call({ "x-hub-signature-256": signature }, Buffer.from(text));
    expect(await githubForge.isFromForge(secret, example)).toBe(true);
    expect(await githubForge.isFromForge(`${secret}.`, example)).toBe(false);
    expect(await githubForge.isFromForge(secret, { ...example, body: async () => Buffer.from(`${text}!`) })).toBe(
      false,
    );
  });

  it.each([
    ["no header", {}],
    ["an empty header", { "x-hub-signature-256": "" }],
    ["a truncated signature", { "x-hub-signature-256": sign(SECRET).slice(0, 39) }],
    ["a SHA-1 signature", { "x-hub-signature": `sha1=${createHmac("sha1", SECRET).update(BODY).digest("hex")}` }],
    ["two signatures", { "x-hub-signature-256": `${sign(SECRET)}, ${sign(SECRET)}` }],
    ["GitLab's token header", { "x-gitlab-token": SECRET }],
  ])("GitHub: rejects %s without reading the body", async (_, headers) => {
    expect(await githubForge.isFromForge(SECRET, callWithoutBody(headers))).toBe(false);
  });

  it("GitHub: rejects a signature by another secret", async () => {
    expect(await githubForge.isFromForge(SECRET, call({ "x-hub-signature-256": sign("another-secret") }))).toBe(false);
  });

  it("GitLab: accepts the secret without reading the body", async () => {
    expect(await gitlabForge.isFromForge(SECRET, callWithoutBody({ "x-gitlab-token": SECRET }))).toBe(true);
    for (const token of ["", `${SECRET}x`, SECRET.slice(1), SECRET.toUpperCase()])
      expect(await gitlabForge.isFromForge(SECRET, callWithoutBody({ "x-gitlab-token": token }))).toBe(false);
    expect(await gitlabForge.isFromForge(SECRET, callWithoutBody({ "x-hub-signature-256": sign(SECRET) }))).toBe(false);
  });
});
