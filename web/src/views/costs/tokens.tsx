import type { CostsJson } from "../../../../src/http/client/client.ts";
import { plural } from "../../ui/format.ts";
import { formatTokens } from "./rates.ts";

const KINDS = [
  { key: "cache_read", name: "Read from cache", look: "s3" },
  { key: "input", name: "Input", look: "s1" },
  { key: "cache_write", name: "Written to cache", look: "s2" },
  { key: "output", name: "Output", look: "s4" },
] as const;

const WIDTH = 440;

/** What the tokens of all runs were: most of them are usually read from the cache, which is cheaper. */
export function Tokens({ total: { tokens, unknown_tokens: unknown } }: { total: CostsJson["total"] }) {
  const sum = tokens === null ? 0 : KINDS.reduce((all, { key }) => all + tokens[key], 0);
  return (
    <section aria-label="Tokens">
      <div className="chart-head">
        <h2>Tokens</h2>
      </div>
      {tokens === null || sum === 0 ? (
        <p className="muted">No run reported its tokens.</p>
      ) : (
        <TokenShares tokens={tokens} sum={sum} />
      )}
      {tokens !== null && unknown > 0 && (
        <p className="hint">{plural(unknown, "run")} did not report tokens. They are not in the sums.</p>
      )}
    </section>
  );
}

interface TokenSharesProps {
  readonly tokens: NonNullable<CostsJson["total"]["tokens"]>;
  readonly sum: number;
}

function TokenShares({ tokens, sum }: TokenSharesProps) {
  const shares = KINDS.map((kind) => ({ ...kind, count: tokens[kind.key], share: tokens[kind.key] / sum }));
  return (
    <>
      <svg className="chart share" viewBox={`0 0 ${WIDTH} 14`} preserveAspectRatio="none" aria-hidden>
        {shares.map(({ key, look, share }, index) => (
          <rect
            key={key}
            className={look}
            x={shares.slice(0, index).reduce((all, each) => all + each.share, 0) * WIDTH}
            width={Math.max(0, share * WIDTH - 1)}
            height="14"
          />
        ))}
      </svg>
      <table>
        <thead className="sr">
          <tr>
            <th>Tokens</th>
            <th>Number</th>
            <th>Share</th>
          </tr>
        </thead>
        <tbody>
          {shares.map(({ key, name, look, count, share }) => (
            <tr key={key}>
              <td>
                <span className="flex">
                  <i className={`dot ${look}`} />
                  {name}
                </span>
              </td>
              <td className="num">{formatTokens(count)}</td>
              <td className="num faint">{Math.round(share * 100)} %</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
