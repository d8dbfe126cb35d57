import { expect, onTestFinished, test } from "vitest";
import { openFakeLogin, type FakeLogin } from "./fake-login.ts";

async function open(): Promise<FakeLogin> {
  const login = await openFakeLogin();
  onTestFinished(() => login.close());
  return login;
}

async function renew({ url }: FakeLogin, token: string, isForm = false) {
  const fields = { grant_type: "refresh_token", refresh_token: token };
  const response = await fetch(url, {
    method: "POST",
    body: isForm ? new URLSearchParams(fields) : JSON.stringify(fields),
  });
  // Our own server sends this.
  return (await response.json()) as { readonly access_token?: string; readonly refresh_token?: string };
}

test("fake login: each refresh token returns the next one and becomes invalid", async () => {
  const login = await open();
  const first = login.logIn();
  const second = await renew(login, first.refreshToken);
  expect(login.accepts(second.access_token ?? "")).toBe(true);
  const third = await renew(login, second.refresh_token ?? "", true);
  expect(login.accepts(second.access_token ?? "")).toBe(false);
  expect(login.accepts(third.access_token ?? "")).toBe(true);
  expect(login.refreshes).toEqual(["renewed", "renewed"]);
});

test("fake login: reusing a refresh token logs out both holders, but no other login", async () => {
  const login = await open();
  const [shared, other] = [login.logIn(), login.logIn()];
  const copy = await renew(login, shared.refreshToken);
  expect(await renew(login, shared.refreshToken)).toMatchObject({ error: { code: "refresh_token_reused" } });
  expect(login.accepts(copy.access_token ?? "")).toBe(false);
  expect(await renew(login, copy.refresh_token ?? "")).toHaveProperty("error");
  expect(await renew(login, "made up")).toHaveProperty("error");
  expect(await renew(login, other.refreshToken)).toHaveProperty("access_token");
  expect(login.refreshes).toEqual(["renewed", "reused", "reused", "unknown", "renewed"]);
});
