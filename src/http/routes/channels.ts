import type { HttpDeps } from "../deps.ts";
import type { Handlers } from "./handler.ts";

export function channelRoutes({
  channels,
}: Pick<HttpDeps, "channels">): Handlers<"GET /channels" | "POST /channels/:name/test"> {
  return {
    async "GET /channels"() {
      const found = await channels.list();
      return { channels: found.map(({ on, ...channel }) => ({ ...channel, on: [...on] })) };
    },

    async "POST /channels/:name/test"({ params, body, actor }) {
      return await channels.test(params.name, { project: body.project, by: actor.name });
    },
  };
}
