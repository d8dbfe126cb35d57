import type { HttpDeps } from "../deps.ts";
import { createHookBodies } from "../hook-body.ts";
import { RequestError } from "../problem.ts";
import type { Handlers } from "./handler.ts";

/** The body is never trusted. It is read only to verify its signature, and only if a webhook is configured. */
export function forgeHookRoutes({ verifyHook }: HttpDeps): Handlers<"POST /projects/:name/forge-hook"> {
  const readHookBody = createHookBodies();
  return {
    async "POST /projects/:name/forge-hook"({ params: { name }, request }) {
      const verdict = await verifyHook(name, {
        header: (header) => request.headers.get(header),
        body: () => readHookBody(request),
      });
      if (verdict === "accepted") return null;
      if (verdict === "rejected")
        throw new RequestError(401, "The signature or token of this webhook is missing or wrong.", {
          hint: 'Use the same secret in the forge\'s webhook settings and in the variable named by "forge.webhook_secret_env".',
        });
      // The same response for both cases, so that a caller cannot find out which projects exist.
      throw new RequestError(404, "There is no such project, or it has no webhook.", {
        hint: 'Set "forge.webhook_secret_env" in its nightshift.yaml to the name of the variable with the secret, and set that variable in the daemon\'s environment.',
      });
    },
  };
}
