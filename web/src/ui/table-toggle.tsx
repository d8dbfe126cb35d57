import { Table2 } from "lucide-react";
import { Button } from "./button.tsx";

export interface TableToggleProps {
  readonly isOpen: boolean;
  /** Id of the element with the table. */
  readonly controls: string;
  readonly label?: string;
  readonly onChange: (isOpen: boolean) => void;
}

/** Shows or hides the table behind a drawing. */
export function TableToggle({ isOpen, controls, label = "Show as a table", onChange }: TableToggleProps) {
  return (
    <Button kind="quiet" size="small" aria-expanded={isOpen} aria-controls={controls} onClick={() => onChange(!isOpen)}>
      <Table2 size={14} aria-hidden />
      {isOpen ? "Hide the table" : label}
    </Button>
  );
}
