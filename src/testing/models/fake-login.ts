import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

/** Content of a CLI's login file: a short-lived access token and a refresh token. */
export interface Login {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** A fake token endpoint. Each refresh token can be used once, like those of real vendors. */
export interface FakeLogin {
  /** URL of the token endpoint. */
  readonly url: string;
  /** Result of each refresh request, in order. */
  readonly refreshes: readonly ("renewed" | "reused" | "unknown")[];
  /** Creates a login whose access token has expired, so that the next program that uses it refreshes it. */
  logIn(): Login;
  /** Whether this access token is valid. */
  accepts(accessToken: string): boolean;
  close(): Promise<void>;
}

/** All tokens derived from one login. */
interface Family {
  current: Login;
  readonly used: Set<string>;
  isRevoked: boolean;
}

export async function openFakeLogin(): Promise<FakeLogin> {
  const families: Family[] = [];
  const refreshes: FakeLogin["refreshes"][number][] = [];

  /** A reused refresh token was stolen or copied. The owner cannot be determined, so all tokens of the login are revoked. */
  function refresh(token: string): Login | null {
    const family = families.find(({ current, used }) => current.refreshToken === token || used.has(token));
    const isCurrent = family !== undefined && !family.isRevoked && family.current.refreshToken === token;
    refreshes.push(isCurrent ? "renewed" : family === undefined ? "unknown" : "reused");
    if (family === undefined) return null;
    if (!isCurrent) {
      family.isRevoked = true;
      return null;
    }
    family.used.add(token);
    family.current = newLogin(HOUR_S);
    return family.current;
  }

  const server = createServer((request, response) => {
    void answer(request, response, refresh).catch(() => response.destroy());
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const { port } = server.address() as AddressInfo; // a TCP server has this kind of address
  return {
    url: `http://127.0.0.1:${port}/oauth/token`,
    refreshes,
    logIn() {
      const family: Family = { current: newLogin(-HOUR_S), used: new Set(), isRevoked: false };
      families.push(family);
      return family.current;
    },
    accepts: (token) => families.some(({ current, isRevoked }) => !isRevoked && current.accessToken === token),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  refresh: (token: string) => Login | null,
): Promise<void> {
  const login = refresh(tokenIn(await readText(request)));
  const [status, body] =
    login === null
      ? [401, { error: { code: "refresh_token_reused", message: "This token was used before; log in again." } }]
      : [200, { access_token: login.accessToken, refresh_token: login.refreshToken, id_token: login.accessToken }];
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Clients send a form or JSON. */
function tokenIn(body: string): string {
  if (!body.startsWith("{")) return new URLSearchParams(body).get("refresh_token") ?? "";
  const { refresh_token: token } = JSON.parse(body) as { readonly refresh_token?: unknown };
  return typeof token === "string" ? token : "";
}

function newLogin(goodForS: number): Login {
  return { accessToken: signedToken(goodForS), refreshToken: `refresh-${randomBytes(12).toString("hex")}` };
}

const HOUR_S = 3600;

/** A JWT with account and expiry, which CLIs read. Its signature is not checked here. */
function signedToken(goodForS: number): string {
  const claims = {
    jti: randomBytes(12).toString("hex"),
    exp: Math.floor(Date.now() / 1000) + goodForS,
    email: "alice@example.com",
    "https://api.openai.com/auth": { chatgpt_account_id: "account", chatgpt_plan_type: "pro" },
  };
  return [encode({ alg: "none", typ: "JWT" }), encode(claims), "c2lnbmVk"].join(".");
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
