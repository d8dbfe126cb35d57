import { type ReactNode, useEffect, useRef } from "react";
import { useDismiss } from "./use-dismiss.ts";

export interface PopoverProps {
  /** Names the panel for screen readers. */
  readonly label: string;
  readonly isOpen: boolean;
  readonly onOpenChange: (isOpen: boolean) => void;
  /** What the button shows. It gets the focus back. */
  readonly button: ReactNode;
  readonly children: ReactNode;
}

/** A panel that floats below its button. Its first control gets the focus. */
export function Popover({ label, isOpen, onOpenChange, button, children }: PopoverProps) {
  const holder = useRef<HTMLSpanElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isOpen) panel.current?.querySelector<HTMLElement>("input, select, button")?.focus();
  }, [isOpen]);
  useDismiss(holder, isOpen, () => {
    if (panel.current?.contains(document.activeElement) === true) opener.current?.focus();
    onOpenChange(false);
  });
  return (
    <span className="pop-holder" ref={holder}>
      <button
        type="button"
        className="btn quiet sm"
        ref={opener}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => onOpenChange(!isOpen)}
      >
        {button}
      </button>
      {isOpen && (
        <div className="pop" role="dialog" aria-label={label} ref={panel}>
          {children}
        </div>
      )}
    </span>
  );
}
