/** Fewer than any text has on average: a guess should rather be too high than too low. */
export const BYTES_PER_TOKEN = 3;
/** What a picture comes to at most, whatever its size in bytes. */
const TOKENS_PER_IMAGE = 2_000;
/** Where the APIs have them. */
const PLACES = new Set(["data", "url", "image_url"]);
/** Shorter ones are counted as text. */
const IMAGE_CHARS = 4_000;

/** How many tokens a request may have, from its size: pictures are long in bytes and short in tokens. */
export function estimateInput(bytes: number, request: unknown): number {
  const images = findImages(request);
  const imageBytes = images.reduce((sum, length) => sum + length, 0);
  return Math.ceil(Math.max(0, bytes - imageBytes) / BYTES_PER_TOKEN) + images.length * TOKENS_PER_IMAGE;
}

/** The lengths of pictures in it. With a stack of its own: the request may be as deep as it likes. */
function findImages(request: unknown): readonly number[] {
  const found: number[] = [];
  const stack: unknown[] = [request];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== "object" || value === null) continue;
    const isImage = Object.values(value).some((part) => typeof part === "string" && part.startsWith("image/"));
    for (const [key, part] of Object.entries(value) as readonly (readonly [string, unknown])[]) {
      if (typeof part === "object") stack.push(part);
      if (typeof part !== "string" || part.length <= IMAGE_CHARS || !PLACES.has(key)) continue;
      if (isImage || part.startsWith("data:image/")) found.push(part.length);
    }
  }
  return found;
}
