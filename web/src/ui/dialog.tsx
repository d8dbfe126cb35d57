import { type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "./button.tsx";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons at the foot, the main one first. */
  readonly actions?: ReactNode;
}

/** A modal dialog; a sheet on phones. The browser keeps the focus inside and gives it back afterwards. */
export function Dialog({ title, onClose, children, actions }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element !== null && !element.open) element.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="dialog modal"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div className="dialog-body">
        <h2 id={titleId} className="dialog-title">
          {title}
        </h2>
        {children}
        {actions !== undefined && <div className="dialog-actions">{actions}</div>}
      </div>
    </dialog>
  );
}

export interface ConfirmProps {
  readonly title: string;
  /** What ends or is lost, and what is kept. */
  readonly children: ReactNode;
  readonly action: string;
  readonly isBusy?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({ title, children, action, isBusy = false, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button kind="danger" isBusy={isBusy} onClick={onConfirm}>
            {action}
          </Button>
          <Button kind="quiet" onClick={onClose} autoFocus>
            Keep it
          </Button>
        </>
      }
    >
      <div className="prose">{children}</div>
    </Dialog>
  );
}
