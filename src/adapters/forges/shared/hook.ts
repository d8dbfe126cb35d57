import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { HookCall } from "../../../ports/forge.ts";

const SIGNATURE = /^sha256=[0-9a-f]{64}$/;

/** Whether the header holds the body's signature by this secret. Only a call that brings something like one is read. */
export async function isSigned(secret: string, { header, body }: HookCall, headerName: string): Promise<boolean> {
  const signature = header(headerName);
  if (signature === null || !SIGNATURE.test(signature)) return false;
  const wanted = createHmac("sha256", secret).update(await body());
  return isSameSecret(signature, `sha256=${wanted.digest("hex")}`);
}

/** Equal lengths by hashing, so that the time tells nothing. */
export function isSameSecret(given: string | null, wanted: string): boolean {
  return given !== null && timingSafeEqual(digest(given), digest(wanted));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
