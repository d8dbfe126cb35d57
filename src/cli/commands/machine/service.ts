import { execFile } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findHome, homePaths, personHome } from "../../../config/files/paths.ts";
import { mergePaths, readRecordedPath } from "../../../config/files/recorded-path.ts";
import { UserError } from "../../../core/text/errors.ts";
import { printResult, type CliContext } from "../../context.ts";
import { formatNextSteps } from "../../print/task/next-steps.ts";
import { recordPath } from "../../record-path.ts";
import { LABEL, renderPlist, renderUnit, UNIT_NAME } from "../../daemon/service-files.ts";
import { daemonCommand } from "../../daemon/start-daemon.ts";
import { stopDaemon } from "./stop.ts";

const LINGER_HINT = 'Run "loginctl enable-linger" to keep it running while you are logged out.';

/** Lets the system start the daemon at login and restart it after a crash. */
export async function installService(context: CliContext): Promise<void> {
  const manager = await findManager(context);
  const home = await findHome(context.env);
  await recordPath(context);
  const path = mergePaths(context.env["PATH"] ?? "", readRecordedPath(home)?.path ?? "");
  const { logs } = homePaths(home);
  const text = manager.render({
    command: [...daemonCommand(), "--foreground"],
    env: { NIGHTSHIFT_HOME: home, PATH: path, MALLOC_ARENA_MAX: "1" },
    log: join(logs, "service.log"),
  });
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  mkdirSync(dirname(manager.file), { recursive: true });
  writeFileSync(manager.file, text);
  // A daemon that was started by hand holds the lock of the database. Its runs are adopted by the new one.
  await stopDaemon(context, false);
  // launchd refuses to load a service twice. The first time, there is nothing to unload.
  if (manager.unload !== null) await run(context, manager.program, manager.unload);
  for (const args of manager.install) await call(context, manager.program, args);
  const state = await readState(context, manager);
  printResult(context, state, () =>
    [
      `Installed ${manager.file}. The daemon starts when you log in, and again after a crash.`,
      'It does not have the variables of this shell: store keys with "nightshift auth add".',
      ...(state.linger === false ? [LINGER_HINT] : []),
      "",
    ].join("\n"),
  );
  context.progress(formatNextSteps(["nightshift auth list"]));
}

export async function showService(context: CliContext): Promise<void> {
  const manager = await findManager(context);
  const state = await readState(context, manager);
  printResult(context, state, () =>
    state.installed
      ? [
          `${manager.file}: ${state.active ? "running" : "not running"}`,
          ...(state.linger === false ? [LINGER_HINT] : []),
          "",
        ].join("\n")
      : 'The service is not installed. Run "nightshift service install".\n',
  );
}

export async function removeService(context: CliContext): Promise<void> {
  const manager = await findManager(context);
  if (!existsSync(manager.file))
    return printResult(context, { removed: false }, () => "The service is not installed.\n");
  // For launchd, it is an error to unload a service that is not loaded. systemd also has to forget that it was enabled.
  if (manager.unload === null || (await readState(context, manager)).active)
    await call(context, manager.program, manager.remove);
  rmSync(manager.file);
  if (manager.reload !== null) await call(context, manager.program, manager.reload);
  printResult(
    context,
    { removed: true, file: manager.file },
    () => `Removed ${manager.file} and stopped the daemon. Running agents continue under their supervisors.\n`,
  );
}

interface Manager {
  readonly program: string;
  readonly file: string;
  readonly render: typeof renderUnit;
  /** Null if the manager loads a service again. */
  readonly unload: readonly string[] | null;
  readonly install: readonly (readonly string[])[];
  readonly isActive: readonly string[];
  readonly remove: readonly string[];
  readonly reload: readonly string[] | null;
}

async function findManager(context: CliContext): Promise<Manager> {
  const person = personHome(context.env);
  if (process.platform === "darwin") return launchd(join(person, "Library/LaunchAgents", `${LABEL}.plist`));
  const given = context.env["XDG_CONFIG_HOME"] ?? "";
  const systemd = createSystemd(join(given === "" ? join(person, ".config") : given, "systemd/user", UNIT_NAME));
  const { code, output } = await run(context, systemd.program, ["--user", "show-environment"]);
  if (code === 0) return systemd;
  throw new UserError(
    "unavailable",
    `This machine has no systemd for your user${output === "" ? "" : `: ${output}`}.`,
    'Start the daemon in another way when the machine starts, for example with "@reboot nightshift start" in your crontab.',
  );
}

function createSystemd(file: string): Manager {
  return {
    program: "systemctl",
    file,
    render: renderUnit,
    unload: null,
    install: [
      ["--user", "daemon-reload"],
      ["--user", "enable", UNIT_NAME],
      ["--user", "restart", UNIT_NAME],
    ],
    isActive: ["--user", "is-active", UNIT_NAME],
    remove: ["--user", "disable", "--now", UNIT_NAME],
    reload: ["--user", "daemon-reload"],
  };
}

function launchd(file: string): Manager {
  const domain = `gui/${process.getuid?.() ?? 0}`;
  return {
    program: "launchctl",
    file,
    render: renderPlist,
    unload: ["bootout", `${domain}/${LABEL}`],
    install: [["bootstrap", domain, file]],
    isActive: ["print", `${domain}/${LABEL}`],
    remove: ["bootout", `${domain}/${LABEL}`],
    reload: null,
  };
}

interface ServiceState {
  readonly installed: boolean;
  readonly active: boolean;
  readonly file: string;
  /** Whether it runs while the user is logged out. Null if unknown. */
  readonly linger: boolean | null;
}

async function readState(context: CliContext, { program, file, isActive }: Manager): Promise<ServiceState> {
  const installed = existsSync(file);
  const active = installed && (await run(context, program, isActive)).code === 0;
  const linger = await run(context, "loginctl", ["show-user", String(process.getuid?.() ?? ""), "--property=Linger"]);
  const isKnown = linger.code === 0 && linger.output.startsWith("Linger=");
  return { installed, active, file, linger: isKnown ? linger.output === "Linger=yes" : null };
}

async function call(context: CliContext, program: string, args: readonly string[]): Promise<void> {
  const { code, output } = await run(context, program, args);
  if (code !== 0)
    throw new UserError(
      "unavailable",
      `"${[program, ...args].join(" ")}" failed: ${output === "" ? `exit code ${code}` : output}`,
    );
}

/** A program that is missing counts as failed. */
function run(
  { env }: CliContext,
  program: string,
  args: readonly string[],
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((done) => {
    execFile(program, [...args], { env: { ...env }, timeout: 60_000 }, (error, stdout, stderr) =>
      done({
        code: error === null ? 0 : typeof error.code === "number" ? error.code : 1,
        output: (stderr.trim() === "" ? stdout : stderr).trim().replaceAll(/\s+/g, " ").slice(0, 500),
      }),
    );
  });
}
