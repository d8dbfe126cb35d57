import { useState } from "react";
import { useAction } from "../../api/actions.ts";
import { type Reply, useApi } from "../../api/queries.ts";
import { useRefusal } from "../../app/session.ts";
import { Button } from "../../ui/button.tsx";
import { Glyph } from "../../ui/glyph.tsx";
import { Section } from "../../ui/section.tsx";
import { ErrorBanner, Loaded } from "../../ui/state.tsx";

type Channel = Reply<"GET /channels">["channels"][number];
interface Answer {
  readonly ok: boolean;
  readonly detail: string;
}

/** Where notifications go, and whether they arrive. */
export function Channels() {
  const query = useApi("GET /channels");
  return (
    <Section title="Channels" count={query.data?.channels.length ?? 0} hint="Where notifications go">
      <Loaded query={query} what="The channels">
        {({ channels }) => (
          <>
            {channels.length > 0 && (
              <table className="cards-sm">
                <thead className="sr">
                  <tr>
                    <th>Channel</th>
                    <th>Notified about</th>
                    <th>Last message</th>
                    <th>Test</th>
                  </tr>
                </thead>
                <tbody>
                  {channels.map((channel) => (
                    <ChannelRow key={`${channel.name} ${channel.project ?? ""}`} channel={channel} />
                  ))}
                </tbody>
              </table>
            )}
            <p className="hint">
              {channels.length === 0
                ? "There are no channels. Add one under notify in config.yaml. "
                : "Set under notify in config.yaml, or in a project's nightshift.yaml. "}
              Tokens come from variables or stored keys by name, and are never shown here.
            </p>
          </>
        )}
      </Loaded>
    </Section>
  );
}

function ChannelRow({ channel: { name, project, on, problem } }: { channel: Channel }) {
  const test = useAction("POST /channels/:name/test");
  const [answer, setAnswer] = useState<Answer | null>(null);
  const refusal = useRefusal("admin", "Testing a channel");
  const send = async (): Promise<void> => {
    setAnswer(null);
    const reply = await test.run({ params: { name }, body: { project } });
    if (reply !== null && typeof reply === "object") setAnswer(reply);
  };
  const shown = answer ?? (problem === null ? null : { ok: false, detail: problem });
  return (
    <tr>
      <td className="strong">
        {name}
        {project !== null && (
          <div className="faint small" dir="auto">
            of {project}
          </div>
        )}
      </td>
      <td className="muted w2">{on.join(", ")}</td>
      <td className="w2" aria-live="polite">
        {shown === null ? <span className="faint">no problem known</span> : <Result answer={shown} />}
        {test.error !== null && <ErrorBanner title="The message was not sent." error={test.error} />}
      </td>
      <td className="num">
        <Button
          size="small"
          isBusy={test.isBusy}
          refusal={refusal}
          aria-label={`Send a test message to ${name}${project === null ? "" : ` of ${project}`}`}
          onClick={() => void send()}
        >
          Send test
        </Button>
      </td>
    </tr>
  );
}

function Result({ answer: { ok, detail } }: { answer: Answer }) {
  return (
    <span className="flex" style={{ gap: 6, alignItems: "flex-start" }}>
      <Glyph name={ok ? "succeeded" : "failed"} label={ok ? "Succeeded" : "Failed"} />
      <span className={ok ? "muted break" : "c-red break"} dir="auto">
        {detail}
      </span>
    </span>
  );
}
