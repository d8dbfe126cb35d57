import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** An agent program whose reports are files: `<role>.<attempt>.json`, or `<role>.json` for all other attempts. */
export interface PlayedAgent {
  readonly program: string;
  play(name: string, report: object): void;
}

/** Every run that may change files adds a line to greeting.txt. Prompts are kept as `prompt-<role>.<attempt>.md`. */
const program = (folder: string): string => `#!/bin/sh
cd_to="${folder}"
cat > "$cd_to/prompt-$NIGHTSHIFT_ROLE.$NIGHTSHIFT_ATTEMPT.md"
case $NIGHTSHIFT_ROLE in implement|request_changes) echo "$NIGHTSHIFT_ROLE $NIGHTSHIFT_ATTEMPT" >> greeting.txt ;; esac
for name in "$NIGHTSHIFT_ROLE.$NIGHTSHIFT_ATTEMPT" "$NIGHTSHIFT_ROLE"; do
  if [ -e "$cd_to/$name.json" ]; then cat "$cd_to/$name.json" > "$NIGHTSHIFT_OUTCOME_FILE"; exit; fi
done
exit 1
`;

export const REPORTS = {
  plan: { outcome: "plan_complete", plan: "## Goal\nGreet.\n", plan_summary: "Greet", subtasks: ["Greet"] },
  implement: { outcome: "implemented", summary: "greets" },
  approved: { outcome: "approved", summary: "good", comments: [] },
} as const;

/** By default it plans, implements and approves. */
export function createPlayedAgent(parent: string): PlayedAgent {
  const folder = join(parent, "play");
  mkdirSync(folder);
  const path = join(folder, "agent.sh");
  writeFileSync(path, program(folder), { mode: 0o755 });
  const play = (name: string, report: object): void =>
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(report));
  for (const role of ["plan", "plan_revision"]) play(role, REPORTS.plan);
  for (const role of ["implement", "request_changes"]) play(role, REPORTS.implement);
  play("review", REPORTS.approved);
  return { program: path, play };
}
