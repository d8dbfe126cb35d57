import { open, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Replaces a file atomically. When this resolves, the new content is durable. */
export async function writeFileDurably(file: string, text: string): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.new`);
  await withHandle(temporary, "w", async (handle) => {
    await handle.writeFile(text);
    await handle.sync();
  });
  await rename(temporary, file);
  await withHandle(dirname(file), "r", (handle) => handle.sync());
}

type Handle = Awaited<ReturnType<typeof open>>;

async function withHandle(path: string, flags: string, use: (handle: Handle) => Promise<void>): Promise<void> {
  const handle = await open(path, flags, 0o600);
  try {
    await use(handle);
  } finally {
    await handle.close();
  }
}
