import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { startLive } from "./api/live.ts";
import { queryClient } from "./api/queries.ts";
import { refreshOnEvents } from "./api/refresh.ts";
import { router } from "./app/router.tsx";
import { startShortcuts } from "./app/shortcuts.ts";
import "./styles/index.css";

startLive();
refreshOnEvents(queryClient);
startShortcuts();

const root = document.querySelector("#root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
