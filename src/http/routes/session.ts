import { ownPath } from "../../core/text/own-path.ts";
import { findSession } from "../auth.ts";
import type { HttpDeps } from "../deps.ts";
import { type Address, baseUrl } from "../guard.ts";
import { RequestError } from "../problem.ts";
import { iso } from "../views/views.ts";
import { sessionCookie } from "../session-cookie.ts";
import type { Handlers } from "./handler.ts";

type SessionRoute = "GET /session" | "POST /session" | "DELETE /session" | "POST /session/links";

export function sessionRoutes({
  sessions,
  store,
  clock,
  address,
}: HttpDeps & { readonly address: Address }): Handlers<SessionRoute> {
  return {
    async "GET /session"({ caller: { name, rights, session } }) {
      return { name, rights: [...rights], browser: session === null ? null : { until: iso(session.until) } };
    },

    async "POST /session"({ body, request }) {
      const current = await findSession(request, { store, address }, clock.now());
      const { name, rights, secret, until } = await sessions.signIn(body.code, current, body.replace);
      const cookie = sessionCookie(request, address, secret, until - clock.now());
      return Response.json(
        { name, rights, browser: { until: iso(until) } },
        { status: 200, headers: { "set-cookie": cookie } },
      );
    },

    async "DELETE /session"({ caller, request }) {
      if (caller.session === null)
        throw new RequestError(409, "This request has a token. Only a browser that has a cookie can sign out.", {
          hint: "An admin can remove a token with `nightshift token remove <name>`.",
        });
      await sessions.signOut(caller.session);
      return new Response(null, {
        status: 204,
        headers: { "set-cookie": sessionCookie(request, address, "", 0) },
      });
    },

    async "POST /session/links"({ body, actor, caller }) {
      const { secret, until } = await sessions.createLink({ ...actor, token: caller.token }, body.person);
      const path = ownPath(body.path);
      const query = path === null || path === "/" ? "" : `?next=${encodeURIComponent(path)}`;
      // Browsers do not send what follows "#", so the code is in no log and no Referer, and a preview cannot use it.
      return { url: `${baseUrl(address)}/sign-in${query}#${secret}`, until: iso(until) };
    },
  };
}
