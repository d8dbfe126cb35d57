import { findHome, homePaths } from "../../../config/files/paths.ts";
import { endingOf, readStoredKeys, writeStoredKeys } from "../../../config/files/stored-keys.ts";
import { UserError } from "../../../core/text/errors.ts";
import { createNodeClient } from "../../../http/client/node-client.ts";
import { askHidden } from "../../ask.ts";
import { printResult, type CliContext } from "../../context.ts";
import { formatNextSteps } from "../../print/task/next-steps.ts";
import { Exit } from "../../exit.ts";
import { findDaemon } from "../../daemon/find-daemon.ts";
import { table, type Column } from "../../print/terminal/table.ts";
import { describeTime } from "../../print/terminal/time.ts";

const COLUMNS: readonly Column[] = [
  { heading: "NAME" },
  { heading: "FROM", min: 11 },
  { heading: "ENDS WITH", drop: 2 },
  { heading: "ADDED", drop: 1 },
];

interface KeyRow {
  readonly name: string;
  readonly source: "stored" | "environment";
  readonly ending: string | null;
  readonly added_at: string | null;
  readonly replaces_environment: boolean;
}

/** Variables that control the daemon itself or the programs it starts. A key must not replace them. */
const RESERVED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|TERM|TMPDIR|TZ|PWD|(?:LC|LD|DYLD|NODE|NPM_CONFIG|GIT|SSH|XDG|NIGHTSHIFT)_.*|(?:HTTPS?|ALL|NO)_PROXY)$/;
const MAX_LENGTH = 10_000;

/** Stores a key for the daemon. The value never appears in the arguments, because other users can list those. */
export async function addKey(context: CliContext, name: string): Promise<void> {
  checkName(name);
  const home = await findHome(context.env);
  const before = readStoredKeys(home);
  const given = context.interactive ? await askHidden(`Value of ${name}`) : await readStdin();
  if (given === null) {
    context.warn("Nothing was stored.\n");
    throw new Exit(130);
  }
  const value = checkValue(name, given);
  writeStoredKeys(home, { ...before, [name]: { value, added_at: new Date().toISOString() } });
  const result = { name, ending: endingOf(value), replaced: Object.hasOwn(before, name), file: homePaths(home).keys };
  printResult(
    context,
    result,
    () =>
      `${result.replaced ? "Replaced" : "Stored"} ${name}. The daemon uses it for the next run, and retries tasks that wait for a login.\n`,
  );
  context.progress(formatNextSteps(["nightshift doctor --no-run"]));
}

/** Asks the daemon if one is running, because it also knows its own environment. Never starts it. */
export async function listKeys(context: CliContext): Promise<void> {
  const address = await findDaemon(context);
  const keys: readonly KeyRow[] =
    address === null ? await listStored(context) : (await createNodeClient(address).call("GET /keys")).keys;
  printResult(context, keys, () =>
    keys.length === 0
      ? 'There are no keys. Run "nightshift auth add ANTHROPIC_API_KEY" to store one.\n'
      : table(
          context,
          COLUMNS,
          keys.map((key) => [
            key.name,
            describeSource(key),
            key.ending === null ? "" : `…${key.ending}`,
            key.added_at === null ? "" : describeTime(key.added_at),
          ]),
        ),
  );
  if (address === null) context.progress("No daemon is running, so keys in its environment are not listed.\n");
}

export async function removeKey(context: CliContext, name: string): Promise<void> {
  const home = await findHome(context.env);
  const { [name]: removed, ...rest } = readStoredKeys(home);
  if (removed === undefined)
    throw new UserError(
      "not_found",
      "There is no stored key with that name.",
      'Run "nightshift auth list" to see the names. A key in the environment of the daemon cannot be removed here.',
    );
  writeStoredKeys(home, rest);
  printResult(context, { removed: name }, () => `Removed ${name}. Runs that have already started keep it.\n`);
}

async function listStored(context: CliContext): Promise<readonly KeyRow[]> {
  const stored = Object.entries(readStoredKeys(await findHome(context.env)));
  return stored
    .map(([name, { value, added_at }]) => ({
      name,
      source: "stored" as const,
      ending: endingOf(value),
      added_at,
      replaces_environment: false,
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function describeSource({ source, replaces_environment: replaces }: KeyRow): string {
  if (source === "environment") return "environment of the daemon";
  return replaces ? "stored (replaces the environment)" : "stored";
}

/** The messages do not repeat the argument: people may put the key itself there. */
function checkName(name: string): void {
  if (!/^[A-Z][A-Z0-9_]{1,99}$/.test(name))
    throw new UserError(
      "invalid",
      "That is not the name of a variable: use capital letters, digits and underscores, such as ANTHROPIC_API_KEY or GITLAB_TOKEN.",
      "The value is not an argument. A terminal asks for it; in a script, send it to stdin.",
    );
  if (RESERVED.test(name))
    throw new UserError("invalid", `${name} is not a key: the daemon and its programs use this variable themselves.`);
}

function checkValue(name: string, given: string): string {
  const value = given.trim();
  const problem =
    value === ""
      ? "is empty"
      : value.length > MAX_LENGTH
        ? `has more than ${MAX_LENGTH} characters`
        : /^[\x21-\x7e]+$/.test(value)
          ? null
          : "contains white space or characters that are not printable ASCII";
  if (problem === null) return value;
  throw new UserError(
    "invalid",
    `The value of ${name} ${problem}. Nothing was stored.`,
    `Run "nightshift auth add ${name}" on a terminal, or send the value to its stdin.`,
  );
}

async function readStdin(): Promise<string> {
  let text = "";
  for await (const chunk of process.stdin) {
    text += String(chunk);
    if (text.length > MAX_LENGTH * 2) break;
  }
  return text;
}
