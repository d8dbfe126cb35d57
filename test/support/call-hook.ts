import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The value of the variable that `webhook_secret_env` names. */
export const HOOK_SECRET = "secret-of-the-webhook";

/** Where the daemon of this home listens. */
export function readDaemonUrl(home: string): string {
  return (JSON.parse(readFileSync(join(home, "daemon.json"), "utf8")) as { readonly url: string }).url;
}

/** Calls the webhook of the project "shop" as the forge would. Returns the status of the answer. */
export async function callHook(home: string, kind: "github" | "gitlab"): Promise<number> {
  const body = JSON.stringify({ action: "closed" });
  const headers: Record<string, string> =
    kind === "gitlab"
      ? { "x-gitlab-token": HOOK_SECRET }
      : { "x-hub-signature-256": `sha256=${createHmac("sha256", HOOK_SECRET).update(body).digest("hex")}` };
  const url = `${readDaemonUrl(home)}/api/v1/projects/shop/forge-hook`;
  return (await fetch(url, { method: "POST", headers, body })).status;
}
