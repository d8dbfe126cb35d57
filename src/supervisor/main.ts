import { flushCompileCache } from "node:module";
import { resolve } from "node:path";
import { claimJob, readJob } from "../adapters/process/job-files.ts";
import { closeInheritedDescriptors, readJobSecrets } from "./inherited.ts";
import { preparePipes, removePipes } from "./output/pipes.ts";
import { supervise } from "./supervise.ts";

/**
 * `node main.ts <job directory>`: owns the processes, output and exit record of one job, even if the daemon dies. Many
 * supervisors run at once, so this program imports only Node's own modules and a few small files.
 */
const dir = resolve(process.argv[2] ?? "");
closeInheritedDescriptors();
preparePipes(dir);
const jobSecrets = readJobSecrets();
// The job is not claimed yet, so the next supervisor can still start it.
if (jobSecrets === null) leave(2);
const job = readJob(dir);
if (job === null) {
  console.error(`There is no job in ${dir}.`);
  leave(2);
}
if (!claimJob(dir)) leave(0);
// Node writes its compile cache only at exit. Writing it early helps supervisors that start at the same time.
setTimeout(flushCompileCache, 500).unref();
await supervise({ ...job, dir }, jobSecrets);
process.exit(0);

function leave(code: number): never {
  removePipes(dir);
  process.exit(code);
}
