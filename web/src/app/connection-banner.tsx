import { LogIn, Unplug } from "lucide-react";
import { useEffect, useState } from "react";
import { retryConnection, useConnection } from "../api/live.ts";
import { Button } from "../ui/button.tsx";
import { Time } from "../ui/time.tsx";

const BACK_MS = 3000;

/** Says at the top of the page that the daemon does not answer, or that the person is signed out. */
export function ConnectionBanner() {
  const connection = useConnection();
  const isBack = useIsBack(connection.state);
  return (
    <div role="status" aria-live="polite">
      {connection.state === "away" && (
        <div className="banner top">
          <Unplug size={16} aria-hidden />
          <div>
            <b className="strong">
              Nightshift does not answer since <Time at={new Date(connection.since).toISOString()} />.
            </b>{" "}
            <span className="muted">
              You see the state of that time. Agents that were running continue without it. The page tries again every
              second.
            </span>
          </div>
          <Button size="small" className="end" onClick={retryConnection}>
            Try now
          </Button>
        </div>
      )}
      {connection.state === "signed-out" && (
        <div className="banner top">
          <LogIn size={16} aria-hidden />
          <div>
            <b className="strong">You are signed out.</b>{" "}
            <span className="muted">
              Run <code>nightshift open</code> on the machine of the daemon to sign in again. What you typed is kept.
            </span>
          </div>
        </div>
      )}
      {isBack && (
        <div className="banner top">
          <b className="strong">Nightshift answers again.</b>
        </div>
      )}
    </div>
  );
}

/** True for some seconds after the connection came back. */
function useIsBack(state: string): boolean {
  const [wasAway, setWasAway] = useState(false);
  useEffect(() => {
    if (state === "away") setWasAway(true);
    if (state !== "open" || !wasAway) return undefined;
    const timer = setTimeout(() => setWasAway(false), BACK_MS);
    return () => clearTimeout(timer);
  }, [state, wasAway]);
  return wasAway && state === "open";
}
