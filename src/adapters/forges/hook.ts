import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { ForgeSettings } from "../../core/settings.ts";
import type { HookCall } from "../../ports/forge.ts";

/** Whether who called knows the secret: GitHub signs the body with it, GitLab sends it along. */
export function isFromForge(kind: ForgeSettings["kind"], secret: string, { header, body }: HookCall): boolean {
  switch (kind) {
    case "github":
      return isSame(header("x-hub-signature-256"), `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`);
    case "gitlab":
      return isSame(header("x-gitlab-token"), secret);
  }
}

/** Equal lengths by hashing, so that the time tells nothing. */
function isSame(given: string | null, wanted: string): boolean {
  return given !== null && timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
