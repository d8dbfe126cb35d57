import { userInfo } from "node:os";

/** Who started the daemon. The system may not know (as in a container that runs as any number): then the environment, or the number. */
export function userName(
  env: Readonly<Record<string, string | undefined>>,
  ask: () => string = () => userInfo().username,
): string {
  try {
    return ask();
  } catch {
    const named = env["USER"] ?? "";
    return named === "" ? `uid ${process.getuid?.() ?? "unknown"}` : named;
  }
}
