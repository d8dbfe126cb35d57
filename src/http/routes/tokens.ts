import { randomBytes } from "node:crypto";
import { UserError } from "../../core/text/errors.ts";
import { hashToken } from "../auth.ts";
import type { HttpDeps } from "../deps.ts";
import { viewTokenRow } from "../views/views.ts";
import type { Handlers } from "./handler.ts";

export function tokenRoutes({
  store,
  clock,
  owner,
}: HttpDeps): Handlers<"GET /tokens" | "POST /tokens" | "DELETE /tokens/:name"> {
  return {
    async "GET /tokens"() {
      return { tokens: (await store.people.listTokens()).map(viewTokenRow) };
    },

    async "POST /tokens"({ body: { name, rights } }) {
      const taken = name === owner || (await store.people.listTokens()).some((token) => token.name === name);
      if (taken)
        throw new UserError(
          "conflict",
          `There is already a token for "${name}".`,
          "Take it back first, or use another name.",
        );
      const token = `nst_${randomBytes(32).toString("base64url")}`;
      const row = { name, hash: hashToken(token), rights: [...new Set(rights)], createdAt: clock.now() };
      await store.people.addToken(row);
      return { ...viewTokenRow(row), token };
    },

    async "DELETE /tokens/:name"({ params }) {
      if (await store.people.removeToken(params.name)) return null;
      throw new UserError("not_found", `There is no token for "${params.name}".`, "`nightshift token` lists them.");
    },
  };
}
