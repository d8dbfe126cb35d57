import type { Task } from "./task.ts";

const MAX_SLUG = 40;

/** Fills in `{{slug}}` and `{{id}}`. A slug is never empty, so the result is always a valid ref. */
export function branchName(template: string, task: Pick<Task, "id" | "title">): string {
  return template.replaceAll("{{slug}}", slugOf(task.title)).replaceAll("{{id}}", task.id.replace(/^task_/, ""));
}

export function slugOf(title: string): string {
  const slug = title
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_SLUG)
    .replaceAll(/^-+|-+$/g, "");
  return slug === "" ? "task" : slug;
}
