import { useId, useState } from "react";
import { useSession } from "../app/session.ts";
import { Button } from "../ui/button.tsx";
import { useDecision } from "./decision-context.ts";

const LONG = 600;

/** What the person who submitted the task wrote. */
export function Asked() {
  const { task } = useDecision();
  const session = useSession();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const isLong = task.description.length > LONG;
  const text = isLong && !isOpen ? `${task.description.slice(0, LONG)}…` : task.description;
  const who = session?.name === task.submitted_by ? "You" : task.submitted_by;
  return (
    <section className="asked" aria-labelledby={id}>
      <h2 className="lab faint" id={id}>
        <bdi>{who}</bdi> asked
      </h2>
      <p className="said" dir="auto">
        {text}
      </p>
      {isLong && (
        <Button kind="quiet" size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : "Show all of it"}
        </Button>
      )}
    </section>
  );
}
