import { useState } from 'preact/hooks';

import { Side } from '../diff/side.tsx';
import type { Conflict, ConflictSide } from './review.ts';
import { kindText } from './words.ts';

/** Branches of the two sides. */
export interface SideNames {
  readonly ours: string;
  readonly theirs: string;
}

interface CardParts {
  readonly conflict: Conflict;
  readonly names: SideNames;
  readonly isCurrent: boolean;
  readonly onChoose: (choice: string | null, input?: string) => void;
  readonly onAllAlike: (choice: string) => void;
}

/** One conflict: where it is, the three sides, and a button for each choice that it takes. */
export function ConflictCard({ conflict, names, isCurrent, onChoose, onAllAlike }: CardParts) {
  const { kind, text, base, ours, theirs, choices, resolution, status } = conflict;
  const [own, setOwn] = useState('');
  const plain = choices.filter((choice) =>
    ['ours', 'theirs', 'base', 'keep', 'delete', 'both'].includes(choice),
  );
  return (
    <article class={isCurrent ? 'conflict current' : 'conflict'} aria-label={text} tabIndex={-1}>
      <h3>
        {text} <span class="quiet">{kindText(kind)}</span>{' '}
        <span class={`state ${status}`}>{status}</span>
      </h3>
      <dl class="sides">
        <ShownSide name="base" side={base} isChosen={resolution?.choice === 'base'} />
        <ShownSide
          name={`ours (${names.ours})`}
          side={ours}
          isChosen={resolution?.choice === 'ours'}
        />
        <ShownSide
          name={`theirs (${names.theirs})`}
          side={theirs}
          isChosen={resolution?.choice === 'theirs'}
        />
      </dl>
      <p class="actions">
        {plain.map((choice) => (
          <button
            key={choice}
            type="button"
            class="second"
            aria-pressed={resolution?.choice === choice}
            onClick={() => onChoose(choice)}
          >
            {choice}
          </button>
        ))}
        {resolution && (
          <button type="button" class="second" onClick={() => onChoose(null)}>
            Take the choice back
          </button>
        )}
        {resolution && plain.includes(resolution.choice) && (
          <button type="button" class="second" onClick={() => onAllAlike(resolution.choice)}>
            And all others where {kindText(kind)}
          </button>
        )}
      </p>
      {choices.includes('custom') && (
        <form
          class="actions"
          onSubmit={(event) => {
            event.preventDefault();
            onChoose('custom', own);
          }}
        >
          <label>
            Or an input of your own
            <input value={own} required onInput={(event) => setOwn(event.currentTarget.value)} />
          </label>
          <button type="submit" class="second">
            Take it
          </button>
        </form>
      )}
    </article>
  );
}

function ShownSide({
  name,
  side,
  isChosen,
}: {
  name: string;
  side: ConflictSide;
  isChosen: boolean;
}) {
  return (
    <div class={isChosen ? 'side chosen' : 'side'}>
      <dt>
        {name} {side.by !== undefined && <span class="quiet">by {side.by}</span>}
      </dt>
      <dd>
        {side.change === 'removed' || side.change === 'moved' ? (
          <span>
            {side.change} <Side side={{ input: side.value }} />
          </span>
        ) : (
          <Side side={'input' in side ? side : { input: side.value }} />
        )}
      </dd>
    </div>
  );
}
