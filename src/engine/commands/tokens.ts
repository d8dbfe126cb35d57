import { randomBytes } from "node:crypto";
import { newEvent, type Actor } from "../../core/task/event.ts";
import { UserError } from "../../core/text/errors.ts";
import type { TokenRow } from "../../ports/store-people.ts";
import type { EnginePorts, Host } from "../ports.ts";
import type { NewToken, TokenDraft } from "./commands-contract.ts";

type TokenPorts = Pick<EnginePorts, "store" | "clock" | "digest"> & {
  readonly host: Pick<Host, "owner">;
};

const TOKEN_BYTES = 32;

/** Only the result contains the secret. The store keeps its hash. */
export async function addToken(ports: TokenPorts, draft: TokenDraft, actor: Actor): Promise<NewToken> {
  const { name } = draft;
  // The owner's token is the daemon's own and is not stored.
  if (name === ports.host.owner) throw tokenExists(name);
  const token = `nst_${randomBytes(TOKEN_BYTES).toString("base64url")}`;
  const rights = [...new Set(draft.rights)];
  const row: TokenRow = { name, hash: ports.digest(token), rights, createdAt: ports.clock.now() };
  const rightsText = rights.length === 0 ? "may only read" : `may ${rights.join(", ")}`;
  const event = newEvent({
    at: ports.clock.now(),
    type: "token.added",
    actor,
    summary: `token for ${name} added (${rightsText})`,
    data: { name, rights },
  });
  if (!(await ports.store.people.addToken(row, event))) throw tokenExists(name);
  return { row, token };
}

export async function removeToken(ports: TokenPorts, name: string, actor: Actor): Promise<void> {
  const event = newEvent({
    at: ports.clock.now(),
    type: "token.removed",
    actor,
    summary: `token for ${name} removed`,
    data: { name },
  });
  if (await ports.store.people.removeToken(name, event)) return;
  throw new UserError("not_found", `There is no token for "${name}".`, "`nightshift token` lists them.");
}

function tokenExists(name: string): UserError {
  return new UserError("conflict", `There is already a token for "${name}".`, "Remove it first, or use another name.");
}
