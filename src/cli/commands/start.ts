import { findDaemon } from "../find-daemon.ts";
import { answer, type CliContext } from "../context.ts";
import { Exit } from "../exit.ts";
import { runDaemon, startDaemon } from "../start-daemon.ts";

export async function start(
  context: CliContext,
  options: { readonly foreground?: boolean; readonly port?: number },
): Promise<void> {
  const args = options.port === undefined ? [] : ["--port", String(options.port)];
  const running = await findDaemon(context);
  if (running !== null)
    return answer(
      context,
      { pid: running.pid, url: running.url, started: false },
      () => `the daemon is already running (pid ${running.pid}) at ${running.url}\n`,
    );
  if (options.foreground === true) {
    const code = await runDaemon(context, args);
    if (code !== 0) throw new Exit(code === 2 ? 2 : 4);
    return;
  }
  const address = await startDaemon(context, args);
  answer(
    context,
    { pid: address.pid, url: address.url, started: true },
    () => `the daemon is running (pid ${address.pid}) at ${address.url}\n`,
  );
}
