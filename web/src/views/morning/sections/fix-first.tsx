import { OctagonX } from "lucide-react";
import type { ReactNode } from "react";
import { useAction } from "../../../api/actions.ts";
import { useApi } from "../../../api/queries.ts";
import { useRefusal } from "../../../app/session.ts";
import type { ReportJson } from "../../../../../src/http/client/client.ts";
import { Button } from "../../../ui/button.tsx";
import { Command } from "../../../ui/command.tsx";
import { plural } from "../../../ui/format.ts";
import { Section } from "../../../ui/section.tsx";
import { ErrorBanner } from "../../../ui/state.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { Time } from "../../../ui/time.tsx";

/** What stops work until a person does something, with the command and a way to try again at once. */
export function FixFirstSection({ problems }: { problems: ReportJson["problems"] }) {
  const outages = useApi("GET /status").data?.outages ?? [];
  const count = problems.length + outages.length;
  if (count === 0) return null;
  return (
    <Section anchor="fix" title="Fix first" count={count} hint="Then the rest continues by itself">
      {problems.map((problem) => (
        <AgentProblem key={problem.text} problem={problem} />
      ))}
      {outages.map(({ project, reason, since, until }) => (
        <ProblemRow key={project} title={`The remote or forge of ${project} cannot be read`}>
          <p className="said" dir="auto">
            {reason}
          </p>
          <p className="said">
            Since <Time at={since} />. The next attempt is at <Time at={until} />.
          </p>
        </ProblemRow>
      ))}
    </Section>
  );
}

function AgentProblem({ problem: { text, command, tasks, agent } }: { problem: ReportJson["problems"][number] }) {
  const retry = useAction("POST /agents/:name/retry");
  const refusal = useRefusal("submit", "Trying an agent again");

  async function tryAgain(): Promise<void> {
    if ((await retry.run({ params: { name: agent } })) !== null) showToast(`One run of ${agent} tries again now.`);
  }

  return (
    <ProblemRow
      title={text}
      actions={
        <Button
          size="small"
          isBusy={retry.isBusy}
          refusal={refusal}
          aria-label={`Try ${agent} again now`}
          onClick={() => void tryAgain()}
        >
          I fixed it, try now
        </Button>
      }
    >
      <p className="said">
        {tasks === 0 ? "No task waits for it at the moment." : `${plural(tasks, "task waits", "tasks wait")} for it.`}{" "}
        No attempt was spent. See what is wrong:
      </p>
      <Command text={command} />
      {retry.error !== null && <ErrorBanner title="It was not tried." error={retry.error} />}
    </ProblemRow>
  );
}

function ProblemRow({ title, actions, children }: { title: string; actions?: ReactNode; children?: ReactNode }) {
  return (
    <div className="row task">
      <span className="glyph c-red">
        <OctagonX size={16} aria-hidden />
      </span>
      <div className="grow">
        <h3 className="t" dir="auto">
          {title}
        </h3>
        {children}
      </div>
      {actions !== undefined && <div className="rt">{actions}</div>}
    </div>
  );
}
