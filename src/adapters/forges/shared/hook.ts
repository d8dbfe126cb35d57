import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { HookCall } from "../../../ports/forge.ts";

const SIGNATURE = /^sha256=[0-9a-f]{64}$/;

/** Checks the HMAC signature in the header. Reads the body only if the header has the format of a signature. */
export async function isSignatureValid(
  secret: string,
  { header, body }: HookCall,
  headerName: string,
): Promise<boolean> {
  const signature = header(headerName);
  if (signature === null || !SIGNATURE.test(signature)) return false;
  const expected = createHmac("sha256", secret).update(await body());
  return isSameSecret(signature, `sha256=${expected.digest("hex")}`);
}

/** Compares hashes of equal length, so that timing reveals nothing. */
export function isSameSecret(actual: string | null, expected: string): boolean {
  return actual !== null && timingSafeEqual(digest(actual), digest(expected));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
