import { fieldsOf, type Fields, listOf, textOf } from "./fields.ts";
import type { AcpRules } from "./rules.ts";
import { diffsOf, locationsOf } from "./updates.ts";
import { judge } from "../claude-code/guard-program.ts";

/**
 * Why the agent may not do what it asks for, as a sentence; null where it may. Policy, not the wall: an agent need not ask,
 * and what it says of a call is its own word.
 */
export function decideCall(call: Fields, rules: AcpRules): string | null {
  switch (call["kind"]) {
    case "edit":
    case "delete":
    case "move":
      return decideChange(call, rules);
    case "execute":
      return judgeCommand(call, rules);
    case "switch_mode":
      return "Nobody is here who could take the agent to another mode.";
    default:
      return judgePaths(call, "Read", rules);
  }
}

function decideChange(call: Fields, rules: AcpRules): string | null {
  if (rules.mayWrite) return judgePaths(call, "Edit", rules);
  const [first] = pathsOf(call);
  const inReport = first !== undefined && judgePaths(call, "Edit", { ...rules, workspace: NOWHERE }) === null;
  return inReport ? null : "This role changes nothing in the workspace.";
}

/** A folder that holds nothing: of the open places only those besides the workspace are left. */
const NOWHERE = "/dev/null";

function judgePaths(call: Fields, tool: "Read" | "Edit", rules: AcpRules): string | null {
  return (
    pathsOf(call)
      .map((path) => ask(tool, { file_path: path }, rules))
      .find((no) => no !== null) ?? null
  );
}

function pathsOf(call: Fields): readonly string[] {
  return [...locationsOf(call), ...diffsOf(call).flatMap((diff) => textOf(diff["path"]) ?? [])];
}

function judgeCommand(call: Fields, rules: AcpRules): string | null {
  const { command, cmd } = fieldsOf(call["rawInput"]);
  const words = listOf(command ?? cmd).filter((word) => typeof word === "string");
  // Without its input, the title is what agents show to a person who has to decide.
  const line = textOf(command) ?? textOf(cmd) ?? (words.length > 0 ? words.join(" ") : textOf(call["title"])) ?? "";
  return line === "" ? "It does not say what it would run." : ask("Bash", { command: line }, rules);
}

/** Whatever goes wrong, the answer is no. */
function ask(tool: "Read" | "Edit" | "Bash", input: Fields, rules: AcpRules): string | null {
  const { workspace, write, read, commands, tools } = rules;
  const shell = tools.includes("Bash") ? null : tools.flatMap((each) => /^Bash\((.+)\)$/.exec(each)?.[1] ?? []);
  const call = { tool, input, cwd: workspace, home: process.env["HOME"] ?? "/" };
  try {
    return judge(call, { workspace, write, read, commands, shell });
  } catch (error) {
    return `It could not be judged: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

/** The option of the request to answer with: never one that answers later requests too, if there is another. */
export function chooseOption(options: unknown, isAllowed: boolean): string | null {
  const offered = listOf(options).map(fieldsOf);
  const wanted = isAllowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const choice = wanted
    .map((kind) => offered.find((option) => option["kind"] === kind))
    .find((each) => each !== undefined);
  return textOf(choice?.["optionId"]);
}
