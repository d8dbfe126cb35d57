import { useEffect, useState, type ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { Mark } from "../../ui/glyph.tsx";
import { createSignIn, type SignInLink, type SignInState } from "./sign-in-link.ts";

/** Opened by a sign-in link. It has no frame around it, because whoever sees it may not be signed in. */
export function SignIn({ link }: { link: SignInLink }) {
  const [state, setState] = useState<SignInState>({ step: link.code === "" ? "checking" : "ready" });
  const [signIn] = useState(() => createSignIn(link, setState));
  useEffect(() => {
    document.title = "Sign in · Nightshift";
    signIn.start();
  }, [signIn]);
  return (
    <main className="sign-in" id="main">
      <div className="brand">
        <Mark isLit={false} />
        <span>Nightshift</span>
      </div>
      <div role="status" aria-live="polite">
        {describe(state, signIn)}
      </div>
    </main>
  );
}

function describe(state: SignInState, signIn: ReturnType<typeof createSignIn>): ReactNode {
  switch (state.step) {
    case "checking":
    case "signing-in":
      return <h1 className="h1">Signing in…</h1>;
    case "ready":
      return (
        <Message
          title="Sign in to Nightshift"
          actions={
            <Button kind="primary" onClick={signIn.send}>
              Sign in
            </Button>
          }
        >
          The link works once. After that, this browser stays signed in for 30 days.
        </Message>
      );
    case "other-person":
      return (
        <Message
          title="Sign in as another person?"
          actions={
            <>
              <Button kind="primary" onClick={signIn.replace}>
                Sign in with the link
              </Button>
              <Button onClick={signIn.leave}>Change nothing</Button>
            </>
          }
        >
          <span dir="auto">{state.detail}</span> If you did not ask for this link, change nothing: what you do in the
          page would be recorded for the other person.
        </Message>
      );
    case "refused":
      return (
        <Message
          title="This link does not work any more"
          actions={state.name !== null && <Button onClick={signIn.leave}>Go to the page</Button>}
        >
          A link works once and for ten minutes.{" "}
          {state.name === null ? <HowToSignIn /> : <SignedIn name={state.name} />}
        </Message>
      );
    case "signed-out":
      return (
        <Message title={state.isNew ? "You signed out" : "You are not signed in"}>
          <HowToSignIn />
        </Message>
      );
    case "failed":
      return (
        <Message title="Nightshift does not answer" actions={<Button onClick={signIn.send}>Try again</Button>}>
          The link was not used up. {state.detail}
        </Message>
      );
  }
}

function Message({ title, children, actions }: { title: string; children: ReactNode; actions?: ReactNode }) {
  return (
    <>
      <h1 className="h1">{title}</h1>
      <p className="muted">{children}</p>
      {actions !== undefined && actions !== false && <div className="flex wrap">{actions}</div>}
    </>
  );
}

function SignedIn({ name }: { name: string }) {
  return (
    <>
      This browser is signed in as <b dir="auto">{name}</b>.
    </>
  );
}

function HowToSignIn() {
  return (
    <>
      For a new link, run <code>nightshift open</code> on the machine of the daemon, or ask the person who runs it.
    </>
  );
}
