import { keepPreviousData, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { hasRight } from "../../../../src/core/task/requester.ts";
import type { TaskPreviewJson } from "../../../../src/http/contract/task-preview.ts";
import { api } from "../../api/client.ts";
import { useSession } from "../../app/session.ts";
import { type TaskForm, toPreviewBody } from "./form.ts";

export type TaskPreview = UseQueryResult<TaskPreviewJson>;

const TYPING_MS = 300;

/** What would happen with this form, as the daemon says. It is asked when the person pauses typing. */
export function useTaskPreview(form: TaskForm): TaskPreview {
  const session = useSession();
  const text = JSON.stringify(toPreviewBody(form));
  const [asked, setAsked] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const body = JSON.parse(asked) as PreviewBody; // written above
  return useQuery({
    queryKey: ["POST /tasks/preview", asked],
    queryFn: async ({ signal }) => await api.call("POST /tasks/preview", { body, signal }),
    enabled: body.project !== "" && session !== null && hasRight(session, "submit"),
    placeholderData: keepPreviousData,
    staleTime: 0, // Settings are files, whose changes are no events.
    meta: { live: false },
  });
}

type PreviewBody = ReturnType<typeof toPreviewBody>;
