import { sleep } from "../../adapters/process/sleep.ts";
import type { Pipes } from "./pipes.ts";

const QUIET_MS = 200;
const TIMEOUT_MS = 5_000;

/**
 * Reads the remaining output of an exited command. Does not wait for the end of the pipes without a limit, because a
 * process that escaped may keep them open forever.
 */
export async function drain({ stdin, stdout, stderr }: Pipes): Promise<void> {
  stdin?.destroy();
  const open = [stdout, stderr].filter((pipe) => !pipe.closed);
  const ended = new AbortController();
  void Promise.all(open.map((pipe) => new Promise((resolve) => pipe.once("close", resolve)))).then(() => ended.abort());
  const deadline = performance.now() + TIMEOUT_MS;
  for (let before = -1; read() > before && performance.now() < deadline;) {
    before = read();
    await sleep(QUIET_MS, ended.signal);
    if (ended.signal.aborted) return;
  }
  for (const pipe of open) pipe.destroy();

  function read(): number {
    return open.reduce((total, pipe) => total + pipe.bytesRead, 0);
  }
}
