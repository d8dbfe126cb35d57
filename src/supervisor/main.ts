import { mkdirSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { join, resolve } from "node:path";
import { CLAIM, hasCode, readJob } from "../adapters/process/job-files.ts";
import { closeInheritedDescriptors, readHanded } from "./inherited.ts";
import { preparePipes, removePipes } from "./output/pipes.ts";
import { supervise } from "./supervise.ts";

/**
 * `node main.ts <job directory>`: owns one job's processes, output and exit record, whatever becomes of the daemon.
 * Fifty of these run at once: it imports Node's own modules and small files of ours, nothing else.
 */
const dir = resolve(process.argv[2] ?? "");
closeInheritedDescriptors();
preparePipes(dir);
const handed = readHanded();
// Nothing is claimed yet: whoever comes next can start the job with its secrets.
if (handed === null) leave(2);
const job = readJob(dir);
if (job === null) {
  console.error(`There is no job in ${dir}.`);
  leave(2);
}
if (!claim()) leave(0);
// Node does this by itself, but only at the end: fifty that start together would each compile everything anew.
setTimeout(flushCompileCache, 500).unref();
await supervise({ ...job, dir }, handed);
process.exit(0);

function leave(code: number): never {
  removePipes(dir);
  process.exit(code);
}

function claim(): boolean {
  try {
    mkdirSync(join(dir, CLAIM), { mode: 0o700 });
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  }
}
