import type { UseQueryResult } from "@tanstack/react-query";
import { CircleAlert } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { ProblemError } from "../../../src/http/client/client.ts";
import { Button } from "./button.tsx";

/** What would be here, and what brings it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}

/** Appears only if loading takes a moment, in the shape of rows. */
export function Skeleton({ rows = 4 }: { rows?: number }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 200);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <div aria-busy="true">
      {Array.from({ length: rows }, (_, index) => (
        <div className="row" key={index} style={{ gridTemplateColumns: "16px minmax(0,1fr)" }}>
          <span className="skel" style={{ width: 16, height: 16, borderRadius: "50%", marginTop: 2 }} />
          <span className="skel" style={{ width: `${60 - (index % 3) * 12}%` }} />
        </div>
      ))}
      <span className="sr" role="status">
        Loading
      </span>
    </div>
  );
}

export type BannerKind = "red" | "amber" | "plain";

export function Banner({
  kind = "plain",
  icon,
  children,
}: {
  kind?: BannerKind;
  icon?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className={kind === "plain" ? "banner" : `banner ${kind}`} role={kind === "red" ? "alert" : undefined}>
      {icon ?? <CircleAlert size={16} aria-hidden />}
      <div className="grow">{children}</div>
    </div>
  );
}

/** What happened, and what to do. */
export function ErrorBanner({ title, error, retry }: { title: string; error: Error; retry?: () => void }) {
  const hint = error instanceof ProblemError ? error.hint : null;
  const lines = error instanceof ProblemError ? error.issues : [];
  return (
    <Banner kind="red">
      <b className="strong">{title}</b> <span dir="auto">{error.message}</span>
      {hint !== null && <p className="muted">{hint}</p>}
      {lines.length > 1 && (
        <ul>
          {lines.map(({ key, message }) => (
            <li key={`${key} ${message}`}>
              <code>{key}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {retry !== undefined && (
        <p style={{ marginTop: 8 }}>
          <Button size="small" onClick={retry}>
            Try again
          </Button>
        </p>
      )}
    </Banner>
  );
}

/** Shows loading, failure or the data of a query. */
export function Loaded<T>({
  query,
  what,
  children,
}: {
  query: UseQueryResult<T>;
  /** Such as "The report", for the sentence that says what could not be read. */
  what: string;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error === null) return <Skeleton />;
  return <ErrorBanner title={`${what} could not be read.`} error={query.error} retry={() => void query.refetch()} />;
}
