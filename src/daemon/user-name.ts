import { userInfo } from "node:os";

/** The user who runs the daemon. A user ID without a name (common in containers) falls back to $USER, then to the ID. */
export function userName(
  env: Readonly<Record<string, string | undefined>>,
  lookUp: () => string = () => userInfo().username,
): string {
  try {
    return lookUp();
  } catch {
    const named = env["USER"] ?? "";
    return named === "" ? `uid ${process.getuid?.() ?? "unknown"}` : named;
  }
}
