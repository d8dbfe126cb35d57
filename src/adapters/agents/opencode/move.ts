import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/**
 * A program that is started before opencode: takes a session of an earlier run along to another folder. opencode binds a
 * session to the folder where it began, by its real path, and each run of a task has one of its own.
 */
function move(store: string, session: string, folder: string): string | null {
  if (!existsSync(store)) return "there is no store of sessions";
  const db = new DatabaseSync(store, { timeout: 5_000 });
  try {
    const { changes } = db.prepare("UPDATE session SET directory = ? WHERE id = ?").run(folder, session);
    return Number(changes) === 1 ? null : "its store does not know it";
  } finally {
    db.close();
  }
}

function main([store = "", session = "", folder = ""]: readonly string[]): void {
  let problem: string | null;
  try {
    problem = move(store, session, folder);
  } catch (error) {
    // The store is opencode's own affair, and another version may have another.
    problem = error instanceof Error ? error.message : String(error);
  }
  if (problem === null) return;
  // In opencode's words for it, which its adapter understands: the task goes on in a new session, with the whole prompt.
  console.error(`Session not found: ${problem}.`);
  process.exitCode = 1;
}

main(process.argv.slice(2));
