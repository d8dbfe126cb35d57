import { LoaderCircle } from "lucide-react";
import { type ButtonHTMLAttributes, type ReactNode, useId } from "react";

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "disabled"> {
  readonly kind?: "primary" | "plain" | "quiet" | "danger";
  readonly size?: "normal" | "small";
  /** Only an icon; needs an `aria-label`. */
  readonly isIcon?: boolean;
  readonly isBusy?: boolean;
  /** Why the action is not possible now. The button keeps its place and can still be focused. */
  readonly refusal?: string | null | undefined;
  /** Key that triggers the action, as shown to people. */
  readonly shortcut?: string | undefined;
}

export function Button({
  kind = "plain",
  size = "normal",
  isIcon = false,
  isBusy = false,
  refusal = null,
  shortcut,
  children,
  onClick,
  className,
  ...rest
}: ButtonProps) {
  const reasonId = useId();
  const isRefused = refusal !== null;
  const classes = ["btn", kind === "plain" ? "" : kind, size === "small" ? "sm" : "", isIcon ? "icon" : "", className];
  return (
    <>
      <button
        type="button"
        {...rest}
        className={classes.filter(Boolean).join(" ")}
        aria-busy={isBusy || undefined}
        aria-disabled={isRefused || isBusy || undefined}
        aria-describedby={isRefused ? reasonId : rest["aria-describedby"]}
        title={refusal ?? rest.title}
        onClick={(event) => {
          if (isRefused || isBusy) event.preventDefault();
          else onClick?.(event);
        }}
      >
        {isBusy ? (
          <>
            <LoaderCircle size={14} aria-hidden className="spin" />
            {isIcon ? null : "Sending…"}
          </>
        ) : (
          children
        )}
        {shortcut !== undefined && !isBusy && <Key>{shortcut}</Key>}
      </button>
      {isRefused && (
        <span className="sr" id={reasonId}>
          {refusal}
        </span>
      )}
    </>
  );
}

export function Key({ children }: { children: ReactNode }) {
  return <kbd className="kbd">{children}</kbd>;
}
