import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { startLive } from "./api/live.ts";
import { queryClient } from "./api/queries.ts";
import { refreshOnEvents } from "./api/refresh.ts";
import { router } from "./app/router.tsx";
import { startShortcuts } from "./app/shortcuts.ts";
import { readLink } from "./views/sign-in/sign-in-link.ts";
import "./styles/index.css";

if (location.pathname === "/sign-in") void showSignIn();
else showPage();

function showPage(): void {
  startLive();
  refreshOnEvents(queryClient);
  startShortcuts();
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
}

async function showSignIn(): Promise<void> {
  const link = readLink(location);
  // The code must not stay in the address bar or in the history.
  history.replaceState(null, "", location.pathname);
  // Another link in the same tab changes only what follows the #, which loads nothing by itself.
  addEventListener("hashchange", () => location.reload());
  const { SignIn } = await import("./views/sign-in/sign-in.tsx");
  render(<SignIn link={link} />);
}

function render(page: ReactNode): void {
  const root = document.querySelector("#root");
  if (root !== null) createRoot(root).render(<StrictMode>{page}</StrictMode>);
}
