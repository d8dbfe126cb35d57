import { randomBytes } from "node:crypto";
import { newEvent, type EventDraft } from "../../core/task/event.ts";
import { requireRight, type Requester } from "../../core/task/requester.ts";
import { UserError } from "../../core/text/errors.ts";
import type { SignInRow } from "../../ports/store-people.ts";
import type { EnginePorts, Host } from "../ports.ts";

/** How people sign in to the page and out again. */
export interface Sessions {
  /** Creates a link for the requester, or for another person if the requester is an admin. */
  createLink(requester: LinkRequester, person: string | null): Promise<NewSecret>;
  /** Exchanges the code of a link for a session. `current` is the session of the browser, which is replaced. */
  signIn(code: string, current: SignInRow | null, mayReplace: boolean): Promise<NewSession>;
  signOut(session: SignInRow): Promise<void>;
}

export interface LinkRequester extends Requester {
  /** Hash of the requester's token. Null for the owner. */
  readonly token: string | null;
}

export interface NewSecret {
  readonly secret: string;
  readonly until: number;
}

export interface NewSession extends NewSecret {
  readonly name: string;
  readonly rights: Requester["rights"];
}

type SessionPorts = Pick<EnginePorts, "store" | "clock" | "digest"> & { readonly host: Pick<Host, "owner"> };

const LINK_MS = 10 * 60_000;
const SESSION_MS = 30 * 86_400_000;
const SECRET_BYTES = 32;

/** The store keeps only hashes, so a copy of the database signs nobody in. */
export function createSessions(ports: SessionPorts): Sessions {
  return {
    createLink: (requester, person) => createLink(ports, requester, person),
    signIn: (code, current, mayReplace) => signIn(ports, code, { current, mayReplace }),
    async signOut(session) {
      const { name } = await findPerson(ports, session.token);
      const event = sessionEvent(ports, { type: "session.ended", name, summary: `${name} signed out in a browser` });
      await ports.store.people.removeSession(session.hash, event);
    },
  };
}

async function createLink(ports: SessionPorts, requester: LinkRequester, person: string | null): Promise<NewSecret> {
  const isOther = person !== null && person !== requester.name;
  if (isOther) requireRight(requester, "admin", `Creating a sign-in link for ${person}`);
  const token = isOther ? await findTokenOf(ports, person) : requester.token;
  const { row: link, secret } = createRow(ports, { kind: "link", token, issuer: requester.name, durationMs: LINK_MS });
  await ports.store.people.addLink(link);
  return { secret, until: link.until };
}

async function signIn(
  ports: SessionPorts,
  code: string,
  { current, mayReplace }: { readonly current: SignInRow | null; readonly mayReplace: boolean },
): Promise<NewSession> {
  const { people } = ports.store;
  const link = await people.findSignIn("link", ports.digest(code));
  if (link === null || link.until <= ports.clock.now()) throw linkRefused();
  const person = await findPerson(ports, link.token);
  if (current !== null && current.token !== link.token && !mayReplace) {
    const { name } = await findPerson(ports, current.token);
    throw new UserError(
      "conflict",
      `This browser is signed in as ${name}. The link is for ${person.name}.`,
      "Confirm that you want to sign in as another person.",
    );
  }
  const { issuer, token } = link;
  const { row: session, secret } = createRow(ports, { kind: "session", token, issuer, durationMs: SESSION_MS });
  const by = issuer === person.name ? "" : ` with a link from ${issuer}`;
  const summary = `${person.name} signed in in a browser${by}`;
  const event = sessionEvent(ports, { type: "session.started", name: person.name, summary });
  // Two browsers may have the same link. Only one of them gets true.
  if (!(await people.redeemLink(link.hash, session, current?.hash ?? null, event))) throw linkRefused();
  return { ...person, secret, until: session.until };
}

function createRow(
  { clock, digest }: SessionPorts,
  { durationMs, ...fields }: Pick<SignInRow, "kind" | "token" | "issuer"> & { readonly durationMs: number },
): { readonly row: SignInRow; readonly secret: string } {
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  const createdAt = clock.now();
  return { secret, row: { ...fields, hash: digest(secret), createdAt, until: createdAt + durationMs } };
}

async function findTokenOf({ store, host }: SessionPorts, person: string): Promise<string> {
  const row = (await store.people.listTokens()).find(({ name }) => name === person);
  if (row !== undefined) return row.hash;
  throw new UserError(
    "not_found",
    person === host.owner
      ? `${person} runs the daemon, and only they can create their sign-in links.`
      : `There is no token for "${person}", so ${person} cannot sign in.`,
    person === host.owner
      ? `${person} can run "nightshift open".`
      : `Run "nightshift token add ${person}" first. "nightshift token" lists all.`,
  );
}

/** Throws if the person's token was removed. */
async function findPerson(
  { store, host }: SessionPorts,
  token: string | null,
): Promise<Pick<Requester, "name" | "rights">> {
  if (token === null) return { name: host.owner, rights: ["admin"] };
  const row = await store.people.findToken(token);
  if (row === null) throw linkRefused();
  return { name: row.name, rights: row.rights };
}

function linkRefused(): UserError {
  return new UserError(
    "forbidden",
    "This sign-in link does not work any more. A link works once and for ten minutes.",
    'Run "nightshift open" for a new one.',
  );
}

function sessionEvent(
  { clock }: SessionPorts,
  { type, name, summary }: Pick<EventDraft, "type" | "summary"> & { readonly name: string },
): EventDraft {
  return newEvent({ at: clock.now(), type, actor: { kind: "person", name }, summary, data: { name } });
}
