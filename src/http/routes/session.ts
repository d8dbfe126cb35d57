import type { Handlers } from "./handler.ts";

export function sessionRoutes(): Handlers<"GET /session"> {
  return {
    async "GET /session"({ actor }) {
      return { name: actor.name, rights: [...actor.rights], browser: null };
    },
  };
}
