import type { DaemonFile } from "../../src/daemon/daemon-file.ts";
import { createNodeClient } from "../../src/http/client/node-client.ts";

/** A cookie for `context.addCookies` of a browser. */
export interface SignInCookie {
  readonly name: string;
  readonly value: string;
  readonly url: string;
}

/** Signs in with a one-time link, as the person with this token. */
export async function signIn({ url, token }: Pick<DaemonFile, "url" | "token">): Promise<SignInCookie> {
  const link = await createNodeClient({ url, token }).call("POST /session/links", { body: {} });
  const response = await fetch(`${url}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ code: new URL(link.url).hash.slice(1) }),
  });
  const [name = "", value = ""] = (response.headers.get("set-cookie") ?? "").split(/[=;]/);
  return { name, value, url };
}
