import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/**
 * A program that runs before opencode and moves a session of an earlier run to another folder. opencode binds a session to the
 * real path of the folder where it started, but each run of a task has its own folder.
 */
function moveSession(store: string, session: string, folder: string): string | null {
  if (!existsSync(store)) return "opencode has no session store";
  const db = new DatabaseSync(store, { timeout: 5_000 });
  try {
    const { changes } = db.prepare("UPDATE session SET directory = ? WHERE id = ?").run(folder, session);
    return Number(changes) === 1 ? null : "it is not in the session store";
  } finally {
    db.close();
  }
}

function main([store = "", session = "", folder = ""]: readonly string[]): void {
  let problem: string | null;
  try {
    problem = moveSession(store, session, folder);
  } catch (error) {
    // The store's format is internal to opencode and may differ in other versions.
    problem = error instanceof Error ? error.message : String(error);
  }
  if (problem === null) return;
  // opencode's own message, which the adapter recognizes. The task then continues in a new session with the full prompt.
  console.error(`Session not found: ${problem}.`);
  process.exitCode = 1;
}

main(process.argv.slice(2));
