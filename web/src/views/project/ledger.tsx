import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { REASON_WORDS } from "../../../../src/core/nightly/rule.ts";
import type { ProposalJson } from "../../../../src/http/client/client.ts";
import { useApi } from "../../api/queries.ts";
import { useRefusal } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { Section } from "../../ui/section.tsx";
import { Loaded } from "../../ui/state.tsx";
import { Time } from "../../ui/time.tsx";
import { ReasonDialog } from "./reason-dialog.tsx";

const SHOWN = 10;
/** A reason rejects a proposal that is not published, and explains the others. */
const ACTIONS: Readonly<Record<ProposalJson["status"], string | null>> = {
  proposed: "Not wanted…",
  published: "Not wanted…",
  closed: "Say why…",
  rejected: "Say why…",
  abandoned: null,
  merged: null,
};

/** Every improvement that was proposed, so that none is proposed twice. */
export function Ledger({ project }: { project: string }) {
  const [isWhole, setWhole] = useState(false);
  const [explaining, setExplaining] = useState<ProposalJson | null>(null);
  const ledger = useApi("GET /proposals", { query: { project, limit: "1000" } });
  const total = ledger.data?.proposals.length ?? 0;
  return (
    <Section title="Ledger" count={total} hint="What was proposed, so that nothing is proposed twice">
      <Loaded query={ledger} what="The ledger">
        {({ proposals }) =>
          proposals.length === 0 ? (
            <p className="hint">Nothing was proposed yet. The nightly improvement records its proposals here.</p>
          ) : (
            <ScrollArea label="Proposals">
              <table className="cards-sm">
                <thead>
                  <tr>
                    <th>Proposal</th>
                    <th>Category</th>
                    <th>Became</th>
                    <th>When</th>
                  </tr>
                </thead>
                <tbody>
                  {proposals.slice(0, isWhole ? undefined : SHOWN).map((proposal) => (
                    <LedgerRow key={proposal.id} proposal={proposal} onExplain={() => setExplaining(proposal)} />
                  ))}
                </tbody>
              </table>
            </ScrollArea>
          )
        }
      </Loaded>
      {total > SHOWN && (
        <p className="try-now">
          <Button size="small" kind="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? "Show the newest only" : `Show all ${total}`}
          </Button>
        </p>
      )}
      {explaining !== null && <ReasonDialog proposal={explaining} onClose={() => setExplaining(null)} />}
    </Section>
  );
}

function LedgerRow({ proposal, onExplain }: { proposal: ProposalJson; onExplain: () => void }) {
  const { title, task, category, status, reason, updated_at: at, url, number } = proposal;
  const refusal = useRefusal("approve", "Giving a reason");
  return (
    <tr>
      <td className="w2">
        <Link className="strong" to="/tasks/$id" params={{ id: task }} dir="auto">
          {title}
        </Link>
      </td>
      <td className="muted">{category}</td>
      <td className="w2">
        {status}{" "}
        {url !== null && (
          <a className="faint" href={url} rel="noreferrer" target="_blank">
            #{number}
          </a>
        )}
        {reason !== null && (
          <div className="faint small" dir="auto">
            {REASON_WORDS[reason.kind]}
            {reason.text !== "" && `: ${reason.text}`}, {reason.by}
          </div>
        )}
        {reason === null && ACTIONS[status] !== null && (
          <div>
            <Button size="small" refusal={refusal} aria-label={`${ACTIONS[status]} ${title}`} onClick={onExplain}>
              {ACTIONS[status]}
            </Button>
          </div>
        )}
      </td>
      <td className="faint nowrap">
        <Time at={at} />
      </td>
    </tr>
  );
}
