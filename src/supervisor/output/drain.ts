import { sleep } from "../../adapters/process/sleep.ts";
import type { Pipes } from "./pipes.ts";

const QUIET_MS = 200;
const GIVE_UP_MS = 5_000;

/**
 * Waits for what a dead command still has in its pipes. Not for their end at any price: somebody who escaped us may
 * hold them open for ever.
 */
export async function drain({ stdin, stdout, stderr }: Pipes): Promise<void> {
  stdin?.destroy();
  const open = [stdout, stderr].filter((pipe) => !pipe.closed);
  const ended = new AbortController();
  void Promise.all(open.map((pipe) => new Promise((resolve) => pipe.once("close", resolve)))).then(() => ended.abort());
  const deadline = performance.now() + GIVE_UP_MS;
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
