import { LogOut } from "lucide-react";
import { useAction } from "../api/actions.ts";
import { Button } from "../ui/button.tsx";
import { ErrorBanner } from "../ui/state.tsx";
import { useSession } from "./session.ts";

/** Signs this browser out. Shows nothing if no cookie signs it in. */
export function SignOut() {
  const session = useSession();
  const action = useAction("DELETE /session");
  if (session?.browser == null) return null;
  const signOut = async (): Promise<void> => {
    // A new document: nothing that this person has read stays in memory.
    if ((await action.run({})) !== null) location.assign("/sign-in?out");
  };
  return (
    <>
      <Button size="small" isBusy={action.isBusy} onClick={() => void signOut()}>
        <LogOut size={14} aria-hidden />
        Sign out
      </Button>
      {action.error !== null && <ErrorBanner title="You are still signed in" error={action.error} />}
    </>
  );
}
