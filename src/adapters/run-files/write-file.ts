import { open, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Replaces a file atomically. When this resolves, the new content is durable. */
export async function writeFileDurably(file: string, text: string): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.new`);
  await writeFile(temporary, text, { mode: 0o600, flush: true });
  await rename(temporary, file);
  const directory = await open(dirname(file), "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
