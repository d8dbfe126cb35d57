import type { Command } from "commander";
import type { lazy } from "./program.ts";

/** Declares the commands that manage the daemon's keys, log, backups and service. */
export function addMachineCommands(program: Command, load: typeof lazy): void {
  addAuthCommands(program, load);
  addServiceCommands(program, load);
  addNotifyCommands(program, load);
  program
    .command("logs")
    .description("Show the daemon's log; works without a daemon")
    .option("--follow", "Continue with new entries until Ctrl-C")
    .option("--task <task>", "Show only entries about this task and its runs")
    .option("--since <when>", "Start 30m, 2h or 7d before now, or at a day or timestamp (default: 1d)")
    .action(load(async () => (await import("./commands/machine/logs.ts")).logs));
  program
    .command("backup <file>")
    .description("Save all data that cannot be created again to one file; the daemon may be running")
    .action(load(async () => (await import("./commands/machine/backup.ts")).backup));
  program
    .command("restore <file>")
    .description("Replace the data on this machine with that of a backup; the daemon must not be running")
    .option("--force", "Move existing data aside instead of refusing")
    .action(load(async () => (await import("./commands/machine/backup.ts")).restore));
}

function addAuthCommands(program: Command, load: typeof lazy): void {
  const auth = program.command("auth").description("Manage the keys of model providers and forges for the daemon");
  auth
    .command("list", { isDefault: true })
    .description("List the keys that the daemon has, without their values")
    .action(load(async () => (await import("./commands/machine/auth.ts")).listKeys));
  auth
    .command("add <name>")
    .description("Store a key for the daemon; asks for the value, or reads it from stdin")
    .action(load(async () => (await import("./commands/machine/auth.ts")).addKey));
  auth
    .command("remove <name>")
    .description("Remove a stored key")
    .action(load(async () => (await import("./commands/machine/auth.ts")).removeKey));
}

function addNotifyCommands(program: Command, load: typeof lazy): void {
  const notify = program.command("notify").description("Show the channels for notifications, and test them");
  notify
    .command("list", { isDefault: true })
    .description("List the channels, and why their last message did not arrive")
    .action(load(async () => (await import("./commands/notify.ts")).listChannels));
  notify
    .command("test [channel]")
    .description("Send a test message to a channel, or to all, and show what the service answered")
    .action(load(async () => (await import("./commands/notify.ts")).testChannels));
}

function addServiceCommands(program: Command, load: typeof lazy): void {
  const service = program.command("service").description("Let the system start the daemon (systemd or launchd)");
  service
    .command("status", { isDefault: true })
    .description("Show whether the service is installed and running")
    .action(load(async () => (await import("./commands/machine/service.ts")).showService));
  service
    .command("install")
    .description("Start the daemon at login and after a crash")
    .action(load(async () => (await import("./commands/machine/service.ts")).installService));
  service
    .command("remove")
    .description("Remove the service and stop the daemon; running agents continue")
    .action(load(async () => (await import("./commands/machine/service.ts")).removeService));
}
