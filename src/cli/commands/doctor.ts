import { checkMachine, type Finding } from "../../daemon/doctor/doctor.ts";
import { answer, type CliContext } from "../context.ts";
import { Exit } from "../exit.ts";
import { layOut } from "../print/hint.ts";
import { paint } from "../print/style.ts";
import { plural } from "../print/words.ts";

const NAME_WIDTH = { least: 16, most: 30 };

export async function doctor(context: CliContext): Promise<void> {
  const findings = await checkMachine({ env: context.env, cwd: context.cwd });
  answer(context, findings, () => render(context, findings));
  if (findings.some(({ ok }) => ok === "no")) throw new Exit(1);
}

export function render(context: Pick<CliContext, "color">, findings: readonly Finding[]): string {
  const bad = findings.filter(({ ok }) => ok === "no").length;
  const sum =
    bad === 0
      ? paint(context, "green", "ready for the night")
      : paint(context, "red", `${plural(bad, "thing")} to repair`);
  const longest = Math.max(NAME_WIDTH.least, ...findings.map(({ name }) => name.length));
  const width = Math.min(NAME_WIDTH.most, longest);
  return `${findings.map((finding) => line(context, finding, width)).join("")}\n${sum}\n`;
}

function line(context: Pick<CliContext, "color">, { name, ok, detail, fix }: Finding, width: number): string {
  const mark =
    ok === "yes"
      ? paint(context, "green", "✓")
      : ok === "warn"
        ? paint(context, "yellow", "!")
        : paint(context, "red", "✗");
  const indent = " ".repeat(width + 3);
  const repair = fix === null ? "" : `\n${indent}→ ${layOut(fix, `${indent}  `)}`;
  return `${mark} ${name.padEnd(width)} ${layOut(detail, indent)}${repair}\n`;
}
