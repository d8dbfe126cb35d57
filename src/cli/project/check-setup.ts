import type { Client, FindingJson } from "../../http/client/client.ts";
import { listFindings } from "../commands/machine/doctor.ts";
import type { CliContext } from "../context.ts";

/** Reports settings that cannot work and runs the checks once, so that a person sees it before a night is paid for. */
export async function checkSetup(
  context: CliContext,
  client: Client,
  { project, run }: { readonly project: string; readonly run: boolean },
): Promise<readonly FindingJson[]> {
  if (run) context.progress("Running the checks once on the default branch … (skip with --no-run)\n");
  const { findings } = await client.call("POST /projects/:name/checks", { params: { name: project }, body: { run } });
  context.progress(listFindings(context, findings));
  return findings;
}
