import { join } from "node:path";
import { PROGRESS_FILE } from "../../adapters/process/job-files.ts";
import type { CommandProgress, CommandResult } from "../../ports/supervisor.ts";
import { openAppendFile } from "./append-file.ts";

/** Tells watchers which command of the job runs, also those that start to watch later. */
export interface ProgressFile {
  write(command: string, result: CommandResult | null): void;
  close(): void;
}

export function openProgressFile(dir: string, onGrown: (size: number) => void): ProgressFile {
  const file = openAppendFile(join(dir, PROGRESS_FILE), onGrown);
  return {
    write(command, result) {
      const progress: CommandProgress = { at: Date.now(), command, result };
      try {
        file.write(`${JSON.stringify(progress)}\n`);
      } catch (error) {
        // A full disk must not fail a command that succeeds. The exit record has its result.
        console.error(error);
      }
    },
    close: file.close,
  };
}
