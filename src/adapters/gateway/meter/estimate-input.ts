/** Lower than the average of any text, so that estimates are too high rather than too low. */
export const BYTES_PER_TOKEN = 3;
/** Maximum for an image of any size. */
const TOKENS_PER_IMAGE = 2_000;
/** The keys of images in the APIs. */
const IMAGE_KEYS = new Set(["data", "url", "image_url"]);
/** Shorter images are counted as text. */
const MIN_IMAGE_CHARS = 4_000;

/** Estimates the input tokens from the size of a request. Images have many bytes but few tokens. */
export function estimateInput(bytes: number, request: unknown): number {
  const images = findImages(request);
  const imageBytes = images.reduce((sum, length) => sum + length, 0);
  return Math.ceil(Math.max(0, bytes - imageBytes) / BYTES_PER_TOKEN) + images.length * TOKENS_PER_IMAGE;
}

/** Returns the lengths of all images. Not recursive, because a request may be nested deeply. */
function findImages(request: unknown): readonly number[] {
  const found: number[] = [];
  const stack: unknown[] = [request];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== "object" || value === null) continue;
    const isImage = Object.values(value).some((part) => typeof part === "string" && part.startsWith("image/"));
    for (const [key, part] of Object.entries(value) as readonly (readonly [string, unknown])[]) {
      if (typeof part === "object") stack.push(part);
      if (typeof part !== "string" || part.length <= MIN_IMAGE_CHARS || !IMAGE_KEYS.has(key)) continue;
      if (isImage || part.startsWith("data:image/")) found.push(part.length);
    }
  }
  return found;
}
