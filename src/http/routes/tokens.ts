import type { HttpDeps } from "../deps.ts";
import { viewTokenRow } from "../views/views.ts";
import type { Handlers } from "./handler.ts";

export function tokenRoutes({
  commands,
  store,
}: HttpDeps): Handlers<"GET /tokens" | "POST /tokens" | "DELETE /tokens/:name"> {
  return {
    async "GET /tokens"() {
      return { tokens: (await store.people.listTokens()).map(viewTokenRow) };
    },

    async "POST /tokens"({ body, actor }) {
      const { row, token } = await commands.addToken(body, actor);
      return { ...viewTokenRow(row), token };
    },

    async "DELETE /tokens/:name"({ params, actor }) {
      await commands.removeToken(params.name, actor);
      return null;
    },
  };
}
