import type { HttpDeps } from "../deps.ts";
import { createHookBodies } from "../hook-body.ts";
import { RequestError } from "../problem.ts";
import type { Handlers } from "./handler.ts";

/** What the body says is never believed: it only is what the signature is over, and read only where there is one. */
export function forgeHookRoutes({ judgeHook }: HttpDeps): Handlers<"POST /projects/:name/forge-hook"> {
  const readHookBody = createHookBodies();
  return {
    async "POST /projects/:name/forge-hook"({ params: { name }, request }) {
      const verdict = await judgeHook(name, {
        header: (header) => request.headers.get(header),
        body: () => readHookBody(request),
      });
      if (verdict === "taken") return null;
      if (verdict === "refused") throw refused();
      // One answer for both, so that nobody learns here which projects there are.
      throw new RequestError(404, "There is no such project, or it expects no webhook.", {
        hint: "`forge.webhook_secret_env` in its nightshift.yaml names the variable with the secret; it must be set where the daemon starts.",
      });
    },
  };
}

function refused(): RequestError {
  return new RequestError(401, "The signature or token of this webhook is missing or wrong.", {
    hint: "Give the forge's webhook the secret that stands in the variable `forge.webhook_secret_env`.",
  });
}
