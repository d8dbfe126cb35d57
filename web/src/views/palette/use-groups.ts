import { useNavigate } from "@tanstack/react-router";
import { FolderGit2, Keyboard, Moon, Plus, Sun, CalendarClock } from "lucide-react";
import { useEffect, useState } from "react";
import type { TaskJson } from "../../../../src/http/client/client.ts";
import { DONE, useAction } from "../../api/actions.ts";
import { useApi } from "../../api/queries.ts";
import { PLACES, SETUP } from "../../app/nav.tsx";
import { useRefusal } from "../../app/session.ts";
import { setTheme } from "../../app/theme.ts";
import { showToast } from "../../ui/toast.tsx";
import type { PaletteGroup, PaletteItem } from "./item.ts";

const TYPING_MS = 120;

interface Found {
  readonly group: PaletteGroup;
  readonly isLoading: boolean;
}

/** Tasks that the daemon finds, or the newest ones. */
export function useTasksGroup(query: string, onClose: () => void): Found {
  const navigate = useNavigate();
  const text = useSettled(query.trim().slice(0, 200));
  const search = text === "" ? { limit: 5 } : { text, limit: 20 };
  const { data, isFetching } = useApi("GET /tasks", { query: search }, { keepPrevious: true, live: false });
  const open = (task: TaskJson) => () => {
    onClose();
    void navigate({ to: "/tasks/$id", params: { id: task.id } });
  };
  const items = (data?.tasks ?? []).map((task): PaletteItem => ({
    id: task.id,
    text: task.title,
    words: [task.id, task.id.replace(/^task_/, ""), ...(task.branch === null ? [] : [task.branch])],
    icon: task.status,
    note: task.project,
    task,
    run: open(task),
  }));
  const title = text === "" ? "Newest tasks" : "Tasks";
  return {
    group: { id: "tasks", title, items, share: 3 },
    isLoading: isFetching || text !== query.trim().slice(0, 200),
  };
}

/** The value, when it did not change for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

export function usePlacesGroup(onClose: () => void, onKeys: () => void): PaletteGroup {
  const navigate = useNavigate();
  const projects = useApi("GET /projects").data?.projects ?? [];
  const places = [...PLACES, ...SETUP].map(({ to, label, keys, icon }): PaletteItem => ({
    id: `place ${to}`,
    text: label,
    icon,
    keys,
    run: () => {
      onClose();
      void navigate({ to });
    },
  }));
  const newTask: PaletteItem = {
    id: "new",
    text: "New task",
    words: ["submit", "create"],
    icon: Plus,
    keys: "c",
    run: () => {
      onClose();
      void navigate({ to: "/new" });
    },
  };
  const projectItems = projects.map(({ name }): PaletteItem => ({
    id: `project ${name}`,
    text: name,
    words: ["project"],
    icon: FolderGit2,
    note: "project",
    run: () => {
      onClose();
      void navigate({ to: "/projects/$name", params: { name } });
    },
  }));
  const keys: PaletteItem = {
    id: "keys",
    text: "Keys",
    words: ["help", "shortcuts"],
    icon: Keyboard,
    keys: "?",
    run: onKeys,
  };
  return { id: "places", title: "Go to", items: [newTask, ...places, ...projectItems, keys], share: 2 };
}

/** What can be done without a task. Found only by typing. */
export function useCommandsGroup(query: string, onClose: () => void): PaletteGroup {
  const navigate = useNavigate();
  const schedules = useApi("GET /schedules").data?.runs ?? [];
  const refusal = useRefusal("submit", "Running a schedule");
  const run = useAction("POST /schedules/:name/run");
  async function start(name: string, project: string): Promise<void> {
    const task = await run.run({ params: { name }, body: { project } });
    if (task === null || task === DONE) return;
    onClose();
    showToast(`The schedule ${name} runs now.`);
    void navigate({ to: "/tasks/$id", params: { id: task.id } });
  }
  const names = new Map(schedules.map(({ name, project }) => [`${name} ${project}`, { name, project }]));
  const now = [...names.values()].map(({ name, project }): PaletteItem => ({
    id: `run ${name} ${project}`,
    text: `Run schedule ${name} in ${project} now`,
    icon: CalendarClock,
    refusal,
    run: () => void start(name, project),
  }));
  const themes = [
    { id: "dark", text: "Use the dark theme", icon: Moon, theme: "dark" },
    { id: "light", text: "Use the light theme", icon: Sun, theme: "light" },
  ] as const;
  const items = [
    ...now,
    ...themes.map(({ theme, ...item }): PaletteItem => ({
      ...item,
      run: () => {
        setTheme(theme);
        onClose();
      },
    })),
  ];
  return { id: "commands", title: "Do", items: query.trim() === "" ? [] : items, share: 2 };
}
