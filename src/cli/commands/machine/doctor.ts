import { checkMachine, NIGHT_NEEDS, type Finding } from "../../../daemon/doctor/doctor.ts";
import { escapedLine } from "../../../core/text/terminal-text.ts";
import { printResult, type CliContext } from "../../context.ts";
import { Exit } from "../../exit.ts";
import { hangMessage } from "../../print/terminal/message.ts";
import { paint, type Screen } from "../../print/terminal/style.ts";
import { version } from "../../version.ts";
import { plural } from "../../print/terminal/words.ts";

const NAME_WIDTH = { least: 16, most: 30 };

export async function doctor(context: CliContext, { run = true }: { readonly run?: boolean }): Promise<void> {
  if (run) context.progress("Checking the machine and running the project's checks once …\n");
  const { env, cwd, project } = context;
  const findings = await checkMachine({ env, cwd, project, version: version(), run });
  printResult(context, findings, () => render(context, findings));
  if (findings.some(({ ok }) => ok === "no")) throw new Exit(1);
}

export function render(context: Screen, findings: readonly Finding[]): string {
  return `${listFindings(context, findings)}\n${conclude(context, findings)}`;
}

export function listFindings(context: Screen, findings: readonly Finding[]): string {
  const longest = Math.max(NAME_WIDTH.least, ...findings.map(({ name }) => name.length));
  const width = Math.min(NAME_WIDTH.most, longest);
  return findings.map((finding) => line(context, finding, width)).join("");
}

/** Says whether the current project is ready for a night, or what is missing and which command repairs it. */
function conclude(context: Screen, findings: readonly Finding[]): string {
  const bad = findings.filter(({ ok }) => ok === "no").length;
  const problems = bad === 0 ? "" : paint(context, "red", `${plural(bad, "problem")} to fix.\n`);
  const missing = findMissing(findings);
  if (missing === null)
    return bad > 0
      ? problems
      : `${paint(context, "green", "No problems found.")} Run doctor in a project's folder to see whether it is ready for the night.\n`;
  if (missing.length === 0) return bad > 0 ? problems : paint(context, "green", "Ready for the night.\n");
  const lines = missing.map(
    ({ what, fix }) => `  ${hangMessage(context, what, "    ")}\n    → ${hangMessage(context, fix, "      ")}\n`,
  );
  return `${problems}${paint(context, "yellow", "Not ready for the night:")}\n${lines.join("")}`;
}

interface Missing {
  readonly what: string;
  readonly fix: string;
}

/** Null outside of a repository. The other needs are unknown until the project is registered and its settings are valid. */
function findMissing(findings: readonly Finding[]): readonly Missing[] | null {
  const needs = findings.flatMap(({ night, detail, fix }) => (night === undefined ? [] : [{ ...night, detail, fix }]));
  const project = needs.find(({ need }) => need === "project");
  if (project === undefined) return null;
  const first = (["project", "settings"] as const).find((need) =>
    needs.some((each) => each.need === need && !each.met),
  );
  const asked = first === undefined ? NIGHT_NEEDS : [first];
  return asked.flatMap((need) => {
    const about = needs.filter((each) => each.need === need);
    if (about.some(({ met }) => met)) return [];
    const unmet = about[0];
    const standard = UNMET[need];
    if (unmet === undefined) return standard === null ? [] : [standard];
    return [
      { what: `${need}: ${unmet.detail.split("\n", 1)[0] ?? ""}`, fix: unmet.fix ?? standard?.fix ?? "see above" },
    ];
  });
}

/** What to say if there is no finding about a need. Null: then nothing is missing. */
const UNMET: Readonly<Record<(typeof NIGHT_NEEDS)[number], Missing | null>> = {
  project: { what: "project: not registered", fix: "nightshift init" },
  settings: null,
  daemon: { what: "daemon: not running", fix: "nightshift start" },
  agent: { what: "agent: none is usable", fix: "nightshift agents" },
  trust: { what: "trust: the project's files were not accepted", fix: "nightshift trust" },
  checks: { what: "checks: they have not run", fix: "nightshift doctor, without --no-run, while the daemon runs" },
  push: { what: "push: not tested", fix: "correct the remote of the repository" },
  files: null,
  schedule: {
    what: "schedule: none",
    fix: 'set improve.schedule in nightshift.yaml, such as "0 2 * * *", then run nightshift trust',
  },
};

function line(context: Screen, { name, ok, detail, fix }: Finding, width: number): string {
  const mark =
    ok === "yes"
      ? paint(context, "green", "✓")
      : ok === "warn"
        ? paint(context, "yellow", "!")
        : paint(context, "red", "✗");
  const indent = " ".repeat(width + 3);
  const repair = fix === null ? "" : `\n${indent}→ ${hangMessage(context, fix, `${indent}  `)}`;
  return `${mark} ${escapedLine(name).padEnd(width)} ${hangMessage(context, detail, indent)}${repair}\n`;
}
