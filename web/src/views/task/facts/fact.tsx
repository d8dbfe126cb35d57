import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { shortHash } from "../../../../../src/core/text/short-hash.ts";

/** A name and its value. Shows nothing if there is no value. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (children === null || children === undefined || children === "" || children === false) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </>
  );
}

/** A commit, with the whole hash as tooltip. */
export function Commit({ hash }: { hash: string | null }) {
  if (hash === null) return null;
  return (
    <span className="hash" title={hash}>
      {shortHash(hash)}
    </span>
  );
}

export function TaskLink({ id, children }: { id: string; children?: ReactNode }) {
  return (
    <Link className="link" to="/tasks/$id" params={{ id }} dir="auto">
      {children ?? id}
    </Link>
  );
}
