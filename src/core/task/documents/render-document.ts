import { describePastEstimates, type PastEstimates } from "../../money/past-estimates.ts";
import type { DocumentContent, DocumentKind } from "./document.ts";
import { sortComments, type ReviewComment } from "./review.ts";

/** The document as Markdown, for people and for the prompts of later agents. */
export function renderDocument(kind: DocumentKind, content: DocumentContent): string {
  switch (kind) {
    case "plan":
      return text(content["plan"]) === "" ? renderExecutionPlan(content) : renderPlan(content);
    case "design":
      return text(content["design"]);
    case "report":
      return joinParts([
        text(content["report"]),
        section("Possible fixes", list(content["options"]).map(renderOption).join("\n\n")),
        section("Subtasks", numbered(content["subtasks"])),
      ]);
    case "review":
      return renderReview(content);
  }
}

/** The comments in the order of their numbers. The commit is part of it, because the verdict holds for this commit only. */
function renderReview(content: DocumentContent): string {
  const result = content["verdict"] === "approved" ? "No objections" : "Changes requested";
  // Validated by the outcome's schema.
  const comments = sortComments(list(content["comments"]) as readonly ReviewComment[]);
  return joinParts([
    `**${result}** at commit ${text(content["commit"])}.`,
    comments.length === 0 ? "No comments." : comments.map(renderComment).join("\n"),
  ]);
}

function renderComment({ file, line, severity, comment }: ReviewComment, index: number): string {
  const place =
    file === undefined ? "" : ` \`${file.replaceAll(/[`\n]/g, "'")}${line === undefined ? "" : `:${line}`}\``;
  return `${index + 1}. **${severity}**${place}: ${comment.trim().replaceAll("\n", "\n   ")}`;
}

function renderPlan(content: DocumentContent): string {
  return joinParts([
    text(content["plan"]),
    section("Subtasks", numbered(content["subtasks"])),
    section("Files", bullets(content["files"])),
  ]);
}

/** The plan of one later run: everything that it is granted. */
function renderExecutionPlan(content: DocumentContent): string {
  const estimate = record(content["estimate"]);
  return joinParts([
    section("Problems", bullets(content["problems"])),
    section("Not approved automatically", bullets(content["approval_reasons"])),
    section("Prompt", text(content["prompt"])),
    section("System prompt", text(content["system_prompt"])),
    section("Tools", bullets(content["tools"]) || "None."),
    section("Directories it may write", bullets(content["directories"]) || "None. It only reads."),
    section("Directories that the person added", bullets(content["added_directories"])),
    section("Commands", describeCommands(content["commands"])),
    section("Network", bullets(content["network"]) || "None."),
    section("Git", content["needs_git"] === true ? "Needed." : "Not needed."),
    section("Estimate", describeEstimate(estimate)),
    section("Earlier estimates", describePast(content["past_estimates"])),
    section("Limits", describeEstimate(record(content["limits"]))),
    section("Reasoning", text(content["reasoning"])),
  ]);
}

function describeCommands(commands: unknown): string {
  return Array.isArray(commands) ? bullets(commands) || "None." : "Every program that the project allows.";
}

function describeEstimate(estimate: DocumentContent): string {
  const parts = [
    ...(typeof estimate["minutes"] === "number" ? [`${estimate["minutes"]} minutes`] : []),
    ...(typeof estimate["tokens"] === "number" ? [`${estimate["tokens"]} tokens`] : []),
    ...(typeof estimate["usd"] === "number" ? [`$${estimate["usd"]}`] : []),
  ];
  return parts.join(", ");
}

function describePast(past: unknown): string {
  // Written by the engine.
  return past === undefined ? "" : describePastEstimates(past as PastEstimates);
}

function renderOption(option: unknown): string {
  const { id, title, description, pros, cons, recommended } = record(option);
  return joinParts([
    `### ${text(id)}: ${text(title)}${recommended === true ? " (recommended)" : ""}`,
    text(description),
    argumentsOf("For", pros),
    argumentsOf("Against", cons),
  ]);
}

function argumentsOf(heading: string, value: unknown): string {
  const given = Array.isArray(value) ? value.map(text).join("; ") : text(value);
  return given === "" ? "" : `${heading}: ${given}`;
}

function section(title: string, body: string): string {
  return body === "" ? "" : `## ${title}\n\n${body}`;
}

function joinParts(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

function bullets(value: unknown): string {
  return list(value)
    .map((each) => `- ${text(each)}`)
    .join("\n");
}

function numbered(value: unknown): string {
  return list(value)
    .map((each, index) => `${index + 1}. ${text(each)}`)
    .join("\n");
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

function record(value: unknown): DocumentContent {
  // Stored documents passed a schema, but one of an earlier version.
  return typeof value === "object" && value !== null ? (value as DocumentContent) : {};
}
