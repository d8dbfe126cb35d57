import { canonicalJson } from "../text/canonical-json.ts";
import { withoutFence } from "../text/fenced-blocks.ts";

/** Whether a text is nothing but this value as JSON. Some CLIs print the report as their last message. */
export function repeatsValue(text: string, value: unknown): boolean {
  try {
    return canonicalJson(JSON.parse(withoutFence(text))) === canonicalJson(value);
  } catch {
    return false; // not JSON, so it is a message
  }
}
