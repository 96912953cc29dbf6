import { useState } from 'preact/hooks';

import { ColumnHeads } from '../shell/column-heads.tsx';
import { useShell } from '../shell/context.ts';
import type { Decided } from './decisions.ts';
import { isPair, reasonText, type Decision, type MatchRow, type MatchSummary } from './match.ts';

interface BandParts {
  readonly rows: readonly MatchRow[];
  readonly counts: MatchSummary['counts'];
  /** Band of the address. */
  readonly band: string | undefined;
  /** Undefined for somebody who may only read. */
  readonly decide: ((decisions: readonly Decided[]) => Promise<void>) | undefined;
}

type Band = Decision | 'unmatched';
type BandLabel = readonly [band: Band, label: string];

const bands: readonly [BandLabel, ...BandLabel[]] = [
  ['accept', 'Accepted'],
  ['review', 'To be reviewed'],
  ['reject', 'Refused'],
  ['unmatched', 'Without a partner'],
];
const rowsAtOnce = 50;

/** Rows of a result by what was decided, each of which can be decided otherwise. */
export function Bands({ rows, counts, band: asked, decide }: BandParts) {
  const { change } = useShell();
  const [band] = bands.find(([name]) => name === asked) ?? bands[0];
  const [most, setMost] = useState(rowsAtOnce);
  const wanted = rows.filter((row) =>
    band === 'unmatched' ? !isPair(row) : isPair(row) && row.decision === band,
  );
  return (
    <section aria-labelledby="all-pairs">
      <h2 id="all-pairs">All pairs</h2>
      <p class="actions" role="group" aria-label="Band">
        {bands.map(([name, label]) => (
          <button
            key={name}
            type="button"
            class="second"
            aria-pressed={band === name}
            onClick={() => {
              change((now) => (now.name === 'match' ? { ...now, band: name } : now));
              setMost(rowsAtOnce);
            }}
          >
            {label} ({counts[name].toLocaleString()})
          </button>
        ))}
      </p>
      {wanted.length === 0 && <p class="quiet">There is none.</p>}
      {wanted.length > 0 && <BandTable rows={wanted.slice(0, most)} decide={decide} />}
      {wanted.length > most && (
        <button type="button" class="second" onClick={() => setMost(most + rowsAtOnce)}>
          More of them
        </button>
      )}
    </section>
  );
}

function BandTable({ rows, decide }: Pick<BandParts, 'rows' | 'decide'>) {
  return (
    <div class="scrolling">
      <table>
        <ColumnHeads
          names={['Left', 'Right', 'Score', 'Because of', ...(decide ? ['Decision'] : [])]}
        />
        <tbody>
          {rows.map((row) => (
            <tr key={JSON.stringify([row.leftKey, row.rightKey])}>
              <td>{row.leftValue ?? String(row.leftKey)}</td>
              <td>{row.rightValue ?? <span class="quiet">none</span>}</td>
              <td class="number">{row.score?.toFixed(3)}</td>
              <td>{reasonText(row.reason)}</td>
              {decide && <td>{isPair(row) && <Choice pair={row} decide={decide} />}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ChoiceParts {
  readonly pair: MatchRow & { readonly rightKey: NonNullable<MatchRow['rightKey']> };
  readonly decide: NonNullable<BandParts['decide']>;
}

function Choice({ pair, decide }: ChoiceParts) {
  const { leftKey, rightKey, leftValue, rightValue, decision } = pair;
  return (
    <select
      aria-label={`Decide on ${leftValue} and ${rightValue}`}
      value={decision}
      onChange={({ currentTarget: { value } }) =>
        void decide([{ leftKey, rightKey, decision: value as Decision }])
      }
    >
      <option value="accept">accept</option>
      <option value="review">review</option>
      <option value="reject">refuse</option>
    </select>
  );
}
