import { UserError } from "../../../core/text/errors.ts";

export function invalidCursor(): UserError {
  return new UserError(
    "invalid",
    "The cursor is invalid.",
    "Use the cursor of a previous page, or omit it to start at the first page.",
  );
}
