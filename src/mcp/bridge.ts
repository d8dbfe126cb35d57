import { serveConfig, serverConfig } from "./bridge/config.ts";
import { describeTools } from "./bridge/list-tools.ts";
import { serveTools } from "./bridge/serve-tools.ts";
import { describe } from "./bridge/start-server.ts";
import { connectToServer, readSecrets } from "./bridge/use-broker.ts";

/**
 * The program between an agent and an MCP server. Its configuration is in its arguments and contains no secrets:
 *
 * - `serve <config>` starts the server and forwards only the tools of the plan.
 * - `connect <socket> <name>` forwards stdin and stdout to a server outside of the sandbox, where another bridge serves it.
 * - `list <config>` prints the tools of a server and exits.
 */
const [mode, first = "", second = ""] = process.argv.slice(2);

try {
  await run();
} catch (error) {
  console.error(describe(error));
  process.exitCode = 1;
}

async function run(): Promise<void> {
  switch (mode) {
    case "serve":
      return serve();
    case "connect":
      process.stdout.on("error", () => process.exit(0));
      await connectToServer(first, second);
      return process.exit(0);
    case "list":
      process.stdout.write(
        `${JSON.stringify(await describeTools(serverConfig.parse(JSON.parse(first)), process.env))}\n`,
      );
      return;
    default:
      throw new Error(`Unknown mode ${JSON.stringify(mode)}.`);
  }
}

async function serve(): Promise<void> {
  const config = serveConfig.parse(JSON.parse(first));
  const { name, secretsFrom } = config;
  const secrets = secretsFrom === null ? {} : await readSecrets(secretsFrom, name);
  const variables = [...config.variables, ...Object.keys(secrets)];
  const server = await serveTools({ ...config, variables }, { ...process.env, ...secrets }).catch((error: unknown) => {
    throw new Error(`The MCP server ${name} did not start: ${describe(error)}.`, { cause: error });
  });
  const end = (): void => void server.stop().finally(() => process.exit(0));
  process.stdin.once("end", end).once("close", end);
  process.stdout.on("error", end);
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, end);
}
