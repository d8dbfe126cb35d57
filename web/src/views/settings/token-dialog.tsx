import { useId, useState } from "react";
import { RIGHTS, type Right } from "../../../../src/core/task/requester.ts";
import { useAction } from "../../api/actions.ts";
import { Button } from "../../ui/button.tsx";
import { Command } from "../../ui/command.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorBanner } from "../../ui/state.tsx";

const MEANINGS: Readonly<Record<Right, string>> = {
  submit: "start, pause, cancel and retry tasks",
  approve: "approve plans, answer, choose and merge",
  admin: "everything, with people, projects and this daemon",
};

/** Creates a token and shows it once. */
export function TokenDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [rights, setRights] = useState<readonly Right[]>(["submit"]);
  const [token, setToken] = useState<string | null>(null);
  const add = useAction("POST /tokens");
  const id = useId();
  const create = async (): Promise<void> => {
    const issued = await add.run({ body: { name: name.trim(), rights: [...rights] } });
    if (issued !== null && typeof issued === "object") setToken(issued.token);
  };
  if (token !== null) return <IssuedToken name={name.trim()} token={token} onClose={onClose} />;
  return (
    <Dialog
      title="Token for a person"
      onClose={onClose}
      actions={
        <>
          <Button
            kind="primary"
            isBusy={add.isBusy}
            refusal={name.trim() === "" ? "Enter a name." : null}
            onClick={() => void create()}
          >
            Create the token
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <div className="field">
        <label htmlFor={id}>Name</label>
        <input
          id={id}
          className="in"
          value={name}
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setName(event.target.value)}
        />
        <p className="hint">Every decision records this name.</p>
      </div>
      <fieldset className="rights">
        <legend>May</legend>
        {RIGHTS.map((right) => (
          <label className="flex" key={right}>
            <input
              type="checkbox"
              checked={rights.includes(right)}
              onChange={({ target }) =>
                setRights(target.checked ? [...rights, right] : rights.filter((each) => each !== right))
              }
            />
            <span>
              {right} <span className="faint">{MEANINGS[right]}</span>
            </span>
          </label>
        ))}
        <p className="hint">Without a right, the person may only read.</p>
      </fieldset>
      {add.error !== null && <ErrorBanner title="The token was not created." error={add.error} />}
    </Dialog>
  );
}

function IssuedToken({ name, token, onClose }: { name: string; token: string; onClose: () => void }) {
  return (
    <Dialog
      title={`Token of ${name}`}
      onClose={onClose}
      actions={
        <Button kind="primary" onClick={onClose}>
          I have kept it
        </Button>
      }
    >
      <p className="prose">This token is shown only once. Nightshift stores only its hash.</p>
      <Command text={token} />
    </Dialog>
  );
}
