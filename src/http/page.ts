import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Serves the files of the web page. Returns null if the path belongs to no file and to no view. */
export type ServePage = (path: string) => Promise<Response | null>;

/** Built by `npm run build:page`. The relative path is the same in a checkout (`src/http`) and in the package (`dist/http`). */
export const PAGE_FOLDER = fileURLToPath(new URL("../../dist/page", import.meta.url));

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

const FILE = /^\/(?:assets\/)?[\w-][\w.-]*\.\w+$/;

/** The page has its own routes, so every address without a file name shows `index.html`. */
export function createPage(folder: string): ServePage {
  return async (path) => {
    if (FILE.test(path)) return await serveFile(folder, path);
    return (await serveFile(folder, "/index.html")) ?? missingPage();
  };
}

async function serveFile(folder: string, path: string): Promise<Response | null> {
  const type = TYPES[extname(path)];
  const content = type === undefined ? null : await readIfExists(join(folder, path));
  if (type === undefined || content === null) return null;
  return new Response(content, {
    headers: {
      "content-type": type,
      "content-security-policy": POLICY,
      // The names of these files contain a hash of their content.
      "cache-control": path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
    },
  });
}

async function readIfExists(file: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    return new Uint8Array(await readFile(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function missingPage(): Response {
  return new Response('The page is not built. Run "npm run build:page" in the checkout of Nightshift, and reload.\n', {
    status: 503,
    headers: { "content-type": "text/plain; charset=utf-8" },
  });
}
