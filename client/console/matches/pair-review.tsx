import { useState } from 'preact/hooks';

import { positionText } from '../address.ts';
import { useOfferedLetters } from '../palette/offered-letters.ts';
import { useCommandKeys } from '../shell/letter-key.ts';
import type { Decided } from './decisions.ts';
import { reasonText, type Decision, type MatchSummary, type Pair } from './match.ts';
import { WholeRow } from './whole-row.tsx';

interface ReviewParts {
  readonly book: string;
  readonly match: MatchSummary;
  readonly pairs: readonly Pair[];
  readonly decide: (decisions: readonly Decided[]) => Promise<void>;
}

const letters = [
  ['y', 'Accept the pair'],
  ['n', 'Refuse the pair'],
  ['s', 'Skip the pair'],
  ['u', 'Take the last decision back'],
] as const;
const keys: Readonly<Record<string, Decision>> = { y: 'accept', n: 'reject' };

/** Asks about uncertain pairs one at a time: Y accepts, N refuses, S skips, U undoes. */
export function PairReview({ book, match, pairs, decide }: ReviewParts) {
  const open = pairs.filter(({ decision }) => decision === 'review');
  const [skipped, setSkipped] = useState(0);
  const [done, setDone] = useState<readonly Pair[]>([]);
  const pair = open[open.length === 0 ? 0 : skipped % open.length];
  const settle = (decision: Decision) => {
    if (!pair) return;
    setDone([...done, pair]);
    void decide([{ leftKey: pair.leftKey, rightKey: pair.rightKey, decision }]);
  };
  const takeBack = () => {
    const last = done.at(-1);
    if (!last) return;
    setDone(done.slice(0, -1));
    void decide([{ leftKey: last.leftKey, rightKey: last.rightKey, decision: 'review' }]);
  };
  useOfferedLetters(letters);
  useCommandKeys((key) => {
    const decision = keys[key];
    if (decision) settle(decision);
    else if (key === 's') setSkipped(skipped + 1);
    else if (key === 'u') takeBack();
  });
  return (
    <section aria-labelledby="band">
      <h2 id="band">To be reviewed</h2>
      <p role="status">
        {open.length === 0
          ? 'Nothing is left to be reviewed.'
          : `${leftText(open.length)} Y accepts, N refuses, S skips, U takes back.`}
      </p>
      {pair && <PairCard {...{ pair, match, book }} />}
      <p class="actions">
        <button type="button" class="main" disabled={!pair} onClick={() => settle('accept')}>
          Accept
        </button>
        <button type="button" class="second" disabled={!pair} onClick={() => settle('reject')}>
          Refuse
        </button>
        <button
          type="button"
          class="second"
          disabled={!pair}
          onClick={() => setSkipped(skipped + 1)}
        >
          Skip
        </button>
        <button type="button" class="second" disabled={done.length === 0} onClick={takeBack}>
          Take the last one back
        </button>
      </p>
    </section>
  );
}

function leftText(count: number): string {
  return count === 1 ? '1 pair is left.' : `${count} pairs are left.`;
}

function PairCard({ pair, match, book }: { pair: Pair } & Pick<ReviewParts, 'match' | 'book'>) {
  const { leftKey, leftValue, rightKey, rightValue, score, reason } = pair;
  const sides = [
    ['Left', match.left, leftKey, leftValue ?? '', rightValue ?? ''],
    ['Right', match.right, rightKey, rightValue ?? '', leftValue ?? ''],
  ] as const;
  return (
    <article class="conflict current" aria-label={`${leftValue} and ${rightValue}`}>
      <div class="sides">
        {sides.map(([name, side, rowKey, text, other]) => (
          <section
            key={`${name} ${JSON.stringify(rowKey)}`}
            class="side"
            aria-label={`${name} row`}
          >
            <h3>
              {name} <span class="quiet">{String(rowKey)}</span>
            </h3>
            <WholeRow {...{ book, side, rowKey, text, other, at: positionText(match.ref) }} />
          </section>
        ))}
      </div>
      <p class="quiet">
        Score {score.toFixed(3)}, {reasonText(reason)}
      </p>
    </article>
  );
}
