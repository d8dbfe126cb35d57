import { UserError } from "../../core/text/errors.ts";

/** What the system needs to start the daemon. */
export interface ServiceParams {
  /** The program and its arguments. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** File for the output, because launchd discards it otherwise. systemd uses its journal. */
  readonly log: string;
}

export const UNIT_NAME = "nightshift.service";
export const LABEL = "dev.nightshift.daemon";

/**
 * A systemd user unit. `KillMode=process` ends only the daemon, so that agents continue under their supervisors and the next
 * daemon adopts them; `OOMPolicy=continue` keeps the daemon when an agent runs out of memory. An invalid configuration (exit
 * code 2) is not retried.
 */
export function renderUnit({ command, env }: ServiceParams): string {
  return `[Unit]
Description=Nightshift daemon

[Service]
Type=exec
ExecStart=${command.map((word) => quote(word.replaceAll("$", "$$$$"))).join(" ")}
${Object.entries(env)
  .map(([name, value]) => `Environment=${quote(`${name}=${value}`)}\n`)
  .join("")}KillMode=process
OOMPolicy=continue
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=2

[Install]
WantedBy=default.target
`;
}

/** systemd expands `%` in every value, and understands backslashes inside quotes. */
function quote(text: string): string {
  return `"${refuseControlCharacters(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%")}"`;
}

/** A launchd agent. `AbandonProcessGroup` lets agents continue under their supervisors. */
export function renderPlist({ command, env, log }: ServiceParams): string {
  const entries = Object.entries(env).map(([name, value]) => `    <key>${xml(name)}</key>\n    ${string(value)}\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  ${string(LABEL)}
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    ${string(word)}\n`).join("")}  </array>
  <key>EnvironmentVariables</key>
  <dict>
${entries.join("")}  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>AbandonProcessGroup</key>
  <true/>
  <key>StandardOutPath</key>
  ${string(log)}
  <key>StandardErrorPath</key>
  ${string(log)}
</dict>
</plist>
`;
}

function string(text: string): string {
  return `<string>${xml(text)}</string>`;
}

function xml(text: string): string {
  return refuseControlCharacters(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function refuseControlCharacters(text: string): string {
  // oxlint-disable-next-line no-control-regex -- matches control characters
  if (!/[\u0000-\u001f\u007f]/.test(text)) return text;
  throw new UserError("invalid", "A path or the PATH contains a line break or another control character.");
}
