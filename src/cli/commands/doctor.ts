import { checkMachine, type Finding } from "../../daemon/doctor/doctor.ts";
import { escapedLine } from "../../core/text/terminal-text.ts";
import { printResult, type CliContext } from "../context.ts";
import { Exit } from "../exit.ts";
import { formatMessage } from "../print/message.ts";
import { paint } from "../print/style.ts";
import { plural } from "../print/words.ts";

const NAME_WIDTH = { least: 16, most: 30 };

export async function doctor(context: CliContext): Promise<void> {
  const findings = await checkMachine({ env: context.env, cwd: context.cwd });
  printResult(context, findings, () => render(context, findings));
  if (findings.some(({ ok }) => ok === "no")) throw new Exit(1);
}

export function render(context: Pick<CliContext, "color">, findings: readonly Finding[]): string {
  const bad = findings.filter(({ ok }) => ok === "no").length;
  const result =
    bad === 0
      ? paint(context, "green", "Everything is ready.")
      : paint(context, "red", `${plural(bad, "problem")} to fix.`);
  const longest = Math.max(NAME_WIDTH.least, ...findings.map(({ name }) => name.length));
  const width = Math.min(NAME_WIDTH.most, longest);
  return `${findings.map((finding) => line(context, finding, width)).join("")}\n${result}\n`;
}

function line(context: Pick<CliContext, "color">, { name, ok, detail, fix }: Finding, width: number): string {
  const mark =
    ok === "yes"
      ? paint(context, "green", "✓")
      : ok === "warn"
        ? paint(context, "yellow", "!")
        : paint(context, "red", "✗");
  const indent = " ".repeat(width + 3);
  const repair = fix === null ? "" : `\n${indent}→ ${formatMessage(fix, `${indent}  `)}`;
  return `${mark} ${escapedLine(name).padEnd(width)} ${formatMessage(detail, indent)}${repair}\n`;
}
