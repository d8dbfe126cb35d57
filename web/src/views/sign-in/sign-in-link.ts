import { ownPath } from "../../../../src/core/text/own-path.ts";
import { ProblemError } from "../../../../src/http/client/client.ts";
import { api } from "../../api/client.ts";

/** What the address of the page contained. The code is empty if there was none. */
export interface SignInLink {
  readonly code: string;
  /** The page to show after that. */
  readonly next: string;
  readonly isLocal: boolean;
  /** The person has signed out, which led here. */
  readonly isSignedOut: boolean;
}

export type SignInState =
  | { readonly step: "checking" | "ready" | "signing-in" }
  | { readonly step: "other-person" | "failed"; readonly detail: string }
  /** `name` is the person who is signed in anyway. */
  | { readonly step: "refused"; readonly name: string | null }
  | { readonly step: "signed-out"; readonly isNew: boolean };

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

export function readLink({ hash, search, hostname }: Pick<Location, "hash" | "search" | "hostname">): SignInLink {
  const query = new URLSearchParams(search);
  return {
    code: hash.slice(1),
    next: ownPath(query.get("next")) ?? "/",
    isLocal: LOOPBACK.includes(hostname),
    isSignedOut: query.has("out"),
  };
}

/** Exchanges the code of the link for a cookie, and then opens the page. */
export function createSignIn(link: SignInLink, show: (state: SignInState) => void) {
  let isStarted = false;

  const leave = (): void => location.replace(link.next);

  async function send(replace: boolean): Promise<void> {
    show({ step: "signing-in" });
    try {
      await api.call("POST /session", { body: { code: link.code, replace } });
      leave();
    } catch (error) {
      if (!(error instanceof ProblemError)) return show({ step: "failed", detail: String(error) });
      if (error.status === 409) return show({ step: "other-person", detail: error.detail });
      if (error.status >= 500) return show({ step: "failed", detail: error.detail });
      show({ step: "refused", name: await findName() });
    }
  }

  async function start(): Promise<void> {
    if (link.code === "") {
      const isSignedIn = !link.isSignedOut && (await findName()) !== null;
      return isSignedIn ? leave() : show({ step: "signed-out", isNew: link.isSignedOut });
    }
    // Chat programs open public addresses to show a preview, and some run scripts. They press no button.
    if (link.isLocal) await send(false);
  }

  return {
    start: () => {
      if (isStarted) return;
      isStarted = true;
      void start();
    },
    send: () => void send(false),
    replace: () => void send(true),
    leave,
  };
}

async function findName(): Promise<string | null> {
  return await api.call("GET /session").then(
    ({ name }) => name,
    () => null,
  );
}
