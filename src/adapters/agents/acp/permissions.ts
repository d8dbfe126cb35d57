import { fieldsOf, type Fields, listOf, textOf } from "./fields.ts";
import type { AcpRules } from "./rules.ts";
import { diffsOf, locationsOf } from "./updates.ts";
import { checkToolCall } from "../claude-code/guard-program.ts";

/**
 * Returns the reason for denying the call, as a sentence, or null if it is allowed. This is policy, not isolation: an agent
 * may skip the request, and describes the call itself.
 */
export function checkCall(call: Fields, rules: AcpRules): string | null {
  switch (call["kind"]) {
    case "edit":
    case "delete":
    case "move":
      return checkChange(call, rules);
    case "execute":
      return checkCommand(call, rules);
    case "switch_mode":
      return "The agent must not change its mode.";
    default:
      return checkPaths(call, "Read", rules);
  }
}

function checkChange(call: Fields, rules: AcpRules): string | null {
  if (rules.mayWrite) return checkPaths(call, "Edit", rules);
  const [first] = pathsOf(call);
  const isReport = first !== undefined && checkPaths(call, "Edit", { ...rules, workspace: NO_WORKSPACE }) === null;
  return isReport ? null : "This role must not change the workspace.";
}

/** Replaces the workspace, so that only the other writable paths are allowed. */
const NO_WORKSPACE = "/dev/null";

function checkPaths(call: Fields, tool: "Read" | "Edit", rules: AcpRules): string | null {
  return (
    pathsOf(call)
      .map((path) => checkTool(tool, { file_path: path }, rules))
      .find((denial) => denial !== null) ?? null
  );
}

function pathsOf(call: Fields): readonly string[] {
  return [...locationsOf(call), ...diffsOf(call).flatMap((diff) => textOf(diff["path"]) ?? [])];
}

function checkCommand(call: Fields, rules: AcpRules): string | null {
  const { command, cmd } = fieldsOf(call["rawInput"]);
  const words = listOf(command ?? cmd).filter((word) => typeof word === "string");
  // Without an input, agents put the command into the title.
  const line = textOf(command) ?? textOf(cmd) ?? (words.length > 0 ? words.join(" ") : textOf(call["title"])) ?? "";
  return line === "" ? "The request does not contain the command." : checkTool("Bash", { command: line }, rules);
}

/** Every error denies the call. */
function checkTool(tool: "Read" | "Edit" | "Bash", input: Fields, rules: AcpRules): string | null {
  const { workspace, write, read, commands, tools } = rules;
  const shell = tools.includes("Bash") ? null : tools.flatMap((each) => /^Bash\((.+)\)$/.exec(each)?.[1] ?? []);
  const call = { tool, input, cwd: workspace, home: process.env["HOME"] ?? "/" };
  try {
    return checkToolCall(call, { workspace, write, read, commands, shell });
  } catch (error) {
    return `The call could not be checked: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

/** Chooses the option to answer with. Prefers options that do not apply to later requests. */
export function chooseOption(options: unknown, isAllowed: boolean): string | null {
  const offered = listOf(options).map(fieldsOf);
  const wanted = isAllowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const choice = wanted
    .map((kind) => offered.find((option) => option["kind"] === kind))
    .find((each) => each !== undefined);
  return textOf(choice?.["optionId"]);
}
