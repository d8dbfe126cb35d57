import { UserError } from "../../../core/text/errors.ts";
import type { Argv, SandboxContext, SandboxPolicy } from "../../../ports/sandbox.ts";
import { BASIC_PROGRAMS } from "./companions.ts";
import { findPrograms, excludeCovered } from "../grants/find-programs.ts";
import type { Mount } from "./mount-plan.ts";
import { refusedProgramsDir } from "../grants/refused-programs.ts";
import { SHARED, SYSTEM_PROGRAMS } from "./system-mounts.ts";

/** The programs available inside, and the path of the command there. */
export interface ProgramMounts {
  readonly mounts: readonly Mount[];
  readonly path: string;
  readonly program: string;
  /** The value of SHELL inside. The login shell may not exist there, and agents would otherwise prefer any zsh they find. */
  readonly shell: string;
}

/** Toolchains that are usually installed outside the system directories. Available if the project has no list of commands. */
const TOOLCHAINS =
  "node npm npx corepack pnpm yarn bun deno python python3 pip pip3 uv poetry go cargo rustc java javac mvn gradle sbt scala kotlin ruby bundle gem php composer dotnet swift elixir mix make cmake ninja gcc g++ clang rg fd jq".split(
    " ",
  );

const REFUSED = "/run/nightshift/refused";

export function programMounts(policy: SandboxPolicy, argv: Argv, context: SandboxContext): ProgramMounts {
  const hostPath = policy.env["PATH"] ?? "";
  const program = requireProgram(argv[0], hostPath);
  const shell = chooseShell(policy, hostPath);
  const own = [program, shell, ...policy.programs];
  return policy.commands === null
    ? { ...mountAllPrograms(own, hostPath), program, shell }
    : { ...mountListedPrograms(policy.commands, own, hostPath, context), program, shell };
}

/** Some agents' tools need bash. Roles that execute nothing do not get it, because it would run a script of the workspace. */
function chooseShell({ executes }: SandboxPolicy, hostPath: string): string {
  return (executes ? findPrograms(["bash"], hostPath).programs[0]?.path : undefined) ?? "/bin/sh";
}

type MountedPrograms = Pick<ProgramMounts, "mounts" | "path">;

function mountAllPrograms(own: readonly string[], hostPath: string): MountedPrograms {
  const folders = hostPath.split(":");
  const elsewhere = joinPath(folders.filter((folder) => !SYSTEM_PROGRAMS.includes(folder)));
  const found = [findPrograms(own, hostPath), findPrograms(TOOLCHAINS, elsewhere)];
  const mounts = found.flatMap((each) => excludeCovered(each.mounts, ["/usr", ...SYSTEM_PROGRAMS, ...SHARED]));
  return { mounts, path: joinPath([...folders, ...found.flatMap(({ binDirs }) => binDirs)]) };
}

function mountListedPrograms(
  commands: readonly string[],
  own: readonly string[],
  hostPath: string,
  context: SandboxContext,
): MountedPrograms {
  const found = findPrograms([...own, ...BASIC_PROGRAMS, ...commands], hostPath);
  const refused = refusedProgramsDir({ cacheDir: context.cache, allowed: commands, path: hostPath });
  return {
    mounts: [...excludeCovered(found.mounts, SHARED), { kind: "read", path: refused, at: REFUSED }],
    path: joinPath([...found.binDirs, REFUSED]),
  };
}

/** Finds the program as a shell outside would. Inside it has the same path. */
function requireProgram(name: string, hostPath: string): string {
  const { programs, missing } = findPrograms([name], hostPath);
  const [found] = programs;
  if (found !== undefined) return found.path;
  const why = missing[0]?.why ?? "does not exist";
  throw new UserError(
    "not_found",
    `The program "${name}" ${why}.`,
    why.includes("chmod") ? null : "Install it or correct the command.",
  );
}

function joinPath(folders: readonly string[]): string {
  return [...new Set(folders.filter((folder) => folder !== ""))].join(":");
}
