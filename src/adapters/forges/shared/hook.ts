import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { ForgeSettings } from "../../../core/task/settings.ts";
import type { HookCall } from "../../../ports/forge.ts";

const SIGNATURE = /^sha256=[0-9a-f]{64}$/;

/** Whether who called knows the secret: GitHub signs the body with it, GitLab sends it along. */
export async function isFromForge(kind: ForgeSettings["kind"], secret: string, call: HookCall): Promise<boolean> {
  switch (kind) {
    case "github":
      return await isSigned(secret, call);
    case "gitlab":
      return isSame(call.header("x-gitlab-token"), secret);
  }
}

/** Only the body of a call that brings something like a signature is read. */
async function isSigned(secret: string, { header, body }: HookCall): Promise<boolean> {
  const signature = header("x-hub-signature-256");
  if (signature === null || !SIGNATURE.test(signature)) return false;
  const wanted = createHmac("sha256", secret).update(await body());
  return isSame(signature, `sha256=${wanted.digest("hex")}`);
}

/** Equal lengths by hashing, so that the time tells nothing. */
function isSame(given: string | null, wanted: string): boolean {
  return given !== null && timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
