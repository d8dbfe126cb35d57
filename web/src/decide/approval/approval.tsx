import { useState } from "react";
import { shortHash } from "../../../../src/core/text/short-hash.ts";
import type { DocumentJson } from "../../../../src/http/client/client.ts";
import { useSession } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { Markdown } from "../../ui/markdown.tsx";
import { Loaded } from "../../ui/state.tsx";
import { Voice } from "../../ui/voice.tsx";
import { nameAgent } from "../agent-name.ts";
import { Asked } from "../asked.tsx";
import { Compose, EndDialog, useForgetDraft } from "../compose.tsx";
import { shortTitle, useDecision, useDecisionRefusal } from "../decision-context.ts";
import { PRIMARY_KEY, useDecisionKey } from "../decision-keys.ts";
import { SendButton, SendProblem, useSend } from "../send.tsx";
import type { WaitOf } from "../wait.ts";
import { Deed } from "./deed.tsx";
import { isExecutionPlan } from "./deed-list.tsx";
import { PlanEditor } from "./plan-editor.tsx";
import { PlanNotes, planProblems } from "./plan-notes.tsx";
import { DocumentChanged, Revision, useDocument } from "./versions.tsx";

type Approval = WaitOf<"approval">;

export interface ApprovalProps {
  /** What the person reads. */
  readonly waiting: Approval;
  /** Another version that waits now, or null. */
  readonly changed: Approval | null;
  /** Shows the other version. */
  readonly onSeen: () => void;
}

/** The approval of a plan, a design or a review. It is bound to the hash of what is shown. */
export function ApprovalForm(props: ApprovalProps) {
  const { task } = useDecision();
  const { waiting, changed, onSeen } = props;
  const query = useDocument(task.id, waiting);
  if (waiting.plan_hash === null) return <Actions {...props} document={null} />;
  return (
    <Loaded query={query} what="What you approve">
      {(document) => (
        <>
          {changed !== null && <DocumentChanged task={task.id} opened={waiting} {...{ current: changed, onSeen }} />}
          <Actions key={document.hash} {...props} document={document} />
        </>
      )}
    </Loaded>
  );
}

type Open = "compose" | "reject" | "edit" | null;

function Actions({ waiting, changed, document }: ApprovalProps & { document: DocumentJson | null }) {
  const { task } = useDecision();
  const session = useSession();
  const [open, setOpen] = useState<Open>(null);
  const kind = document?.kind ?? "step";
  const approve = useSend("POST /tasks/:id/approve", `Approved: ${shortTitle(task)}`);
  const revise = useSend("POST /tasks/:id/revise", `Sent back: ${shortTitle(task)}`, useForgetDraft("revise"));
  const reject = useSend("POST /tasks/:id/reject", `Rejected: ${shortTitle(task)}`, useForgetDraft("reason"));
  const right = useDecisionRefusal("approve", `Approving a ${kind}`);
  const refusal = refuse(right, waiting, changed, document);
  const close = (): void => setOpen(null);
  const pressApprove = (): void => approve.press({ plan_hash: waiting.plan_hash });
  const approveByKey = open === null && refusal === null ? pressApprove : null;
  useDecisionKey("mod+Enter", `Approve the ${kind}`, approveByKey);
  useDecisionKey("a", `Approve the ${kind}`, approveByKey);
  useDecisionKey("r", "Ask for changes", open === null && right === null ? () => setOpen("compose") : null);
  if (open === "edit" && document !== null)
    return <PlanEditor {...{ document, refusal: right ?? refusalOfChange(changed) }} onClose={close} />;
  return (
    <>
      <div className="body">
        {document !== null && <PlanNotes waiting={waiting} document={document} />}
        <Asked />
        {document !== null && <Revision task={task} document={document} />}
        {document !== null && <Deed document={document} />}
        {document !== null && <Reasoning document={document} />}
        <SendProblem send={approve} title="It was not approved." />
      </div>
      <div className="acts">
        {open === "compose" ? (
          <Compose
            label={`What should be different in the ${kind}?`}
            placeholder="The agent gets this and makes another version"
            draft="revise"
            action="Ask for changes"
            problem="The request was not sent."
            refusal={right}
            send={revise}
            onSend={(feedback) => revise.press({ feedback })}
            onClose={close}
          />
        ) : (
          <>
            <SendButton kind="primary" send={approve} {...{ refusal }} onPress={pressApprove} shortcut={PRIMARY_KEY}>
              {document === null ? "Approve" : `Approve ${shortHash(document.hash)}`}
            </SendButton>
            <Button refusal={right} onClick={() => setOpen("compose")} shortcut="R">
              Ask for changes…
            </Button>
            {document !== null && isExecutionPlan(document) && (
              <Button refusal={right} onClick={() => setOpen("edit")}>
                Edit…
              </Button>
            )}
            <Button kind="danger" refusal={right} onClick={() => setOpen("reject")}>
              Reject…
            </Button>
            <p className="note">
              {document !== null && (isExecutionPlan(document) ? "Runs exactly this. " : "Exactly this version. ")}
              Recorded as <bdi>{session?.name}</bdi>.
            </p>
          </>
        )}
      </div>
      {open === "reject" && (
        <EndDialog
          title={`Reject “${shortTitle(task)}”?`}
          action={`Reject the ${kind}`}
          problem="It was not rejected."
          send={reject}
          refusal={right}
          onSend={(reason) => reject.press({ reason })}
          onClose={close}
        >
          The task ends as cancelled. Nothing of the {kind} is carried out. “nightshift retry” starts it again.
        </EndDialog>
      )}
    </>
  );
}

function refusalOfChange(changed: Approval | null): string | null {
  return changed === null ? null : "It changed while you read it. Look at the new version first.";
}

function refuse(
  right: string | null,
  waiting: Approval,
  changed: Approval | null,
  document: DocumentJson | null,
): string | null {
  if (right !== null) return right;
  if (changed !== null) return refusalOfChange(changed);
  if (document === null) return null;
  if (document.hash !== waiting.plan_hash) return "Another version than the shown one waits for you. Reload the page.";
  if (planProblems(document).length > 0)
    return "The plan asks for what cannot be granted. Ask for changes, or edit it.";
  return null;
}

function Reasoning({ document }: { document: DocumentJson }) {
  const { task } = useDecision();
  const run = task.runs.find((each) => each.id === document.run);
  const reasoning = document.content["reasoning"];
  if (typeof reasoning !== "string" || reasoning.trim() === "") return null;
  return (
    <section className="after">
      <Voice by={`${run === undefined ? "The agent" : nameAgent(run)} wrote, as its reasoning`}>
        <Markdown text={reasoning} />
      </Voice>
    </section>
  );
}
