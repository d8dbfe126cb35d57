import { Link } from "@tanstack/react-router";
import type { TaskJson } from "../../../../../src/http/client/client.ts";
import { Commit } from "../facts/fact.tsx";

type Artifact = TaskJson["artifacts"][number];

/** What is recorded about an artifact, besides its name. */
export function ArtifactDetail({ task, artifact: { type, data } }: { task: TaskJson; artifact: Artifact }) {
  const to = { to: "/tasks/$id/$tab" } as const;
  switch (type) {
    case "diff":
      return (
        <Link className="link" {...to} params={{ id: task.id, tab: "diff" }}>
          Show the diff
        </Link>
      );
    case "plan":
    case "design":
    case "report":
    case "review":
      return (
        <Link
          className="link"
          {...to}
          params={{ id: task.id, tab: "plan" }}
          search={{ doc: type, version: text(data["version"]) ?? "" }}
        >
          Read it
        </Link>
      );
    case "commit":
      return <Commit hash={text(data["commit"])} />;
    case "branch":
      return <Words parts={[prefix("into", data["base"]), prefix("on", data["remote"])]} />;
    case "change_request":
      return <Words parts={[text(data["state"]), prefix("into", data["base"])]} />;
    case "file":
      return <Words parts={[text(data["change"]), describeSize(data["size"]), describeApply(data["applies"])]} />;
  }
}

function Words({ parts }: { parts: readonly (string | null)[] }) {
  return (
    <span className="muted words" dir="auto">
      {parts.filter((part) => part !== null).join(", ")}
    </span>
  );
}

function text(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

function prefix(word: string, value: unknown): string | null {
  const found = text(value);
  return found === null ? null : `${word} ${found}`;
}

const KIB = 1024;

function describeSize(bytes: unknown): string | null {
  if (typeof bytes !== "number") return null;
  if (bytes < KIB) return `${bytes} bytes`;
  return bytes < KIB * KIB ? `${Math.round(bytes / KIB)} KiB` : `${(bytes / KIB / KIB).toFixed(1)} MiB`;
}

function describeApply(applies: unknown): string | null {
  return applies === false ? "is not brought over when the files are applied" : null;
}
