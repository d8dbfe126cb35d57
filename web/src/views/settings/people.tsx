import { Plus } from "lucide-react";
import { useState } from "react";
import { useAction } from "../../api/actions.ts";
import { type Reply, useApi } from "../../api/queries.ts";
import { useRefusal, useSession } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { Section } from "../../ui/section.tsx";
import { ErrorBanner, Loaded } from "../../ui/state.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { TokenDialog } from "./token-dialog.tsx";

type Token = Reply<"GET /tokens">["tokens"][number];

/** Who has a token, and what each person may do. */
export function People() {
  const session = useSession();
  const refusal = useRefusal("admin", "Managing tokens");
  const isAdmin = session?.rights.includes("admin") === true;
  const query = useApi("GET /tokens", {}, { enabled: isAdmin });
  const [isAdding, setAdding] = useState(false);
  return (
    <Section
      title="People and tokens"
      {...(query.data !== undefined && { count: query.data.tokens.length })}
      hint="Who may do what"
    >
      {isAdmin && (
        <Loaded query={query} what="The tokens">
          {({ tokens }) => <Tokens tokens={tokens} />}
        </Loaded>
      )}
      {session !== null && !isAdmin && <p className="muted">Only a person with the right "admin" sees the tokens.</p>}
      <p className="try-now">
        <Button size="small" refusal={refusal} onClick={() => setAdding(true)}>
          <Plus size={14} aria-hidden />
          Token for a person
        </Button>
      </p>
      {isAdding && <TokenDialog onClose={() => setAdding(false)} />}
    </Section>
  );
}

function Tokens({ tokens }: { tokens: readonly Token[] }) {
  if (tokens.length === 0)
    return (
      <p className="muted">Only the owner of the daemon can use it. A token gives another person a name and rights.</p>
    );
  return (
    <ScrollArea label="People">
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th>May</th>
            <th>Since</th>
            <th>
              <span className="sr">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <TokenRow key={token.name} token={token} />
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

function TokenRow({ token: { name, rights, created_at: createdAt } }: { token: Token }) {
  const [isAsking, setAsking] = useState(false);
  const revoke = useAction("DELETE /tokens/:name");
  const refusal = useRefusal("admin", "Revoking a token");
  const run = async (): Promise<void> => {
    if ((await revoke.run({ params: { name } })) !== null) showToast(`Revoked the token of ${name}.`);
  };
  return (
    <tr>
      <td className="strong" dir="auto">
        {name}
      </td>
      <td className="muted">{rights.length === 0 ? "only read" : rights.join(", ")}</td>
      <td className="faint nowrap">
        <Time at={createdAt} />
      </td>
      <td className="num">
        <Button
          kind="danger"
          size="small"
          refusal={refusal}
          aria-label={`Revoke the token of ${name}…`}
          onClick={() => setAsking(true)}
        >
          Revoke…
        </Button>
        {isAsking && (
          <ConfirmDialog
            title={`Revoke the token of ${name}?`}
            action="Revoke"
            isBusy={revoke.isBusy}
            onConfirm={() => void run()}
            onClose={() => setAsking(false)}
          >
            <p>
              Requests with this token are refused from now on, and open pages of {name} are signed out. What {name}{" "}
              decided stays recorded.
            </p>
            {revoke.error !== null && <ErrorBanner title="The token was not revoked." error={revoke.error} />}
          </ConfirmDialog>
        )}
      </td>
    </tr>
  );
}
