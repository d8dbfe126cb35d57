import { spawn } from "node:child_process";
import type { CliContext } from "./context.ts";

/** A browser that needs longer is started anyway; only its failure is not noticed. */
const FAILURE_MS = 1_500;

/** Why no browser can be opened from here, or null if one can. */
export function refuseBrowser({ env, interactive }: Pick<CliContext, "env" | "interactive">): string | null {
  if (!interactive) return "This is not a terminal";
  if (isSet(env["SSH_CONNECTION"]) || isSet(env["SSH_TTY"])) return "This is a terminal of another machine";
  const hasDisplay = isSet(env["DISPLAY"]) || isSet(env["WAYLAND_DISPLAY"]) || isSet(env["WSL_DISTRO_NAME"]);
  return process.platform === "linux" && !hasDisplay && !isSet(env["BROWSER"]) ? "This machine has no display" : null;
}

/** Opens an address in the person's browser. Returns why that failed, or null. */
export async function openBrowser(url: string, env: CliContext["env"]): Promise<string | null> {
  const [program, ...args] = browserCommand(env, process.platform);
  return await new Promise((resolve) => {
    const child = spawn(program, [...args, url], { detached: true, stdio: "ignore", env: { ...env } });
    const timer = setTimeout(settle, FAILURE_MS, null);
    function settle(problem: string | null): void {
      clearTimeout(timer);
      child.unref();
      resolve(problem);
    }
    child.once("error", () => settle(`The program ${program} is missing`));
    child.once("exit", (code) => settle(code === 0 || code === null ? null : `${program} ended with code ${code}`));
  });
}

/** The address is added as the last argument, never as part of a shell command. */
export function browserCommand(
  env: CliContext["env"],
  platform: NodeJS.Platform,
): readonly [program: string, ...args: string[]] {
  const own = env["BROWSER"]?.trim() ?? "";
  // $BROWSER may also be a list or a command with a placeholder. Only a plain program is used.
  if (/^[^\s:%]+$/.test(own)) return [own];
  if (platform === "darwin") return ["open"];
  // In WSL, xdg-open knows no browser of Windows. An empty argument is the title of the window.
  if (isSet(env["WSL_DISTRO_NAME"])) return ["cmd.exe", "/c", "start", ""];
  return ["xdg-open"];
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
