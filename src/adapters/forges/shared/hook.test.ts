import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { githubForge } from "../github/definition.ts";
import { gitlabForge } from "../gitlab/definition.ts";

const SECRET = "a-secret-of-the-webhook";
const BODY = Buffer.from('{"action":"closed"}');

function call(headers: Readonly<Record<string, string>>, body: Uint8Array = BODY) {
  return { header: (name: string) => headers[name] ?? null, body: async () => body };
}

const neverSent = () => Promise.reject(new Error("the body was read"));

function unread(headers: Readonly<Record<string, string>>) {
  return { ...call(headers), body: neverSent };
}

const signed = (secret: string, body: Uint8Array = BODY): string =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

describe("a webhook's call", () => {
  it("is GitHub's where the body is signed with the secret", async () => {
    // The example of GitHub's own manual on validating deliveries.
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
    ["an empty one", { "x-hub-signature-256": "" }],
    ["one of half the length", { "x-hub-signature-256": signed(SECRET).slice(0, 39) }],
    ["the old one with SHA-1", { "x-hub-signature": `sha1=${createHmac("sha1", SECRET).update(BODY).digest("hex")}` }],
    ["one with more behind it", { "x-hub-signature-256": `${signed(SECRET)}, ${signed(SECRET)}` }],
    ["the secret itself, as GitLab sends it", { "x-gitlab-token": SECRET }],
  ])("is not GitHub's with %s, and its body is not read for that", async (_, headers) => {
    expect(await githubForge.isFromForge(SECRET, unread(headers))).toBe(false);
  });

  it("is not GitHub's with another secret's signature", async () => {
    expect(await githubForge.isFromForge(SECRET, call({ "x-hub-signature-256": signed("another-secret") }))).toBe(
      false,
    );
  });

  it("is GitLab's where it brings the secret, whatever the body, which is not read", async () => {
    expect(await gitlabForge.isFromForge(SECRET, unread({ "x-gitlab-token": SECRET }))).toBe(true);
    for (const token of ["", `${SECRET}x`, SECRET.slice(1), SECRET.toUpperCase()])
      expect(await gitlabForge.isFromForge(SECRET, unread({ "x-gitlab-token": token }))).toBe(false);
    expect(await gitlabForge.isFromForge(SECRET, unread({ "x-hub-signature-256": signed(SECRET) }))).toBe(false);
  });
});
