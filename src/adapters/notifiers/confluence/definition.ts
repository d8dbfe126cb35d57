import { z } from "zod";
import { environmentName, text, webUrl } from "../../../core/settings/values.ts";
import type { NotifierDefinition } from "../definition.ts";
import { createConnection, createConfluenceNotifier, readPage } from "./confluence.ts";

const settings = z.object({
  url: webUrl.describe("URL of the wiki."),
  page_id: text.describe("ID of the page that gets a row for each night."),
  user: text.optional().describe("User to whom the token belongs."),
  token_env: environmentName.describe("Environment variable with the token."),
});

export const confluenceNotifier: NotifierDefinition = {
  kind: "confluence",
  summary: "Log of all nights on a Confluence page.",
  settings,
  secretKeys: ["token_env"],
  isNightLog: true,
  create: (channel) => createConfluenceNotifier({ ...channel, settings: settings.parse(channel.settings) }),
  async check(channel) {
    const options = { ...channel, settings: settings.parse(channel.settings) };
    const { title } = await readPage(options, createConnection(options));
    return `page "${title}" can be read`;
  },
  docs: "a row in a table of one page for each ended `improve` task, best effort",
};
