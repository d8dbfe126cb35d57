import { z } from "zod";
import type { ForgeIssue } from "../../../ports/forge.ts";
import type { ForgeClient } from "../shared/client.ts";

const issue = z.object({
  iid: z.number().int().positive(),
  title: z.string(),
  description: z.string().nullish(),
  web_url: z.string().regex(/^https?:\/\//),
});

export async function readGitlabIssue(client: ForgeClient, id: number, number: number): Promise<ForgeIssue> {
  const path = `/projects/${id}/issues/${number}`;
  const found = await client.get(issue, { doing: `read issue #${number}`, path });
  return { number: found.iid, title: found.title, body: found.description ?? "", url: found.web_url };
}
