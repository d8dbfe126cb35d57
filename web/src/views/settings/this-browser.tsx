import { useSession } from "../../app/session.ts";
import { SignOut } from "../../app/sign-out.tsx";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { Preferences } from "./preferences.tsx";

/** Who is signed in here, and until when. */
export function ThisBrowser() {
  const session = useSession();
  if (session === null) return null;
  const { name, rights, browser } = session;
  return (
    <Section title="This browser" hint="Who is signed in here">
      <div className="flex wrap" style={{ gap: "8px 16px" }}>
        <span>
          Signed in as <b dir="auto">{name}</b>
          <span className="muted">, who may {rights.length === 0 ? "only read" : rights.join(", ")}</span>
        </span>
        {browser !== null && (
          <span className="faint">
            until <Time at={browser.until} />
          </span>
        )}
        <span className="end">
          <SignOut />
        </span>
      </div>
      <Preferences />
    </Section>
  );
}
