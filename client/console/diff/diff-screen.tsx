import { useEffect, useState } from 'preact/hooks';

import { parsePosition, type Screen } from '../address.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { countedWords } from './counts.ts';
import { entriesOf, type DiffEntry } from './diff-page.ts';
import { EntryTable } from './entry-table.tsx';
import { useDiff } from './use-diff.ts';

type DiffAddress = Extract<Screen, { name: 'diff' }>;

/** Everything that differs between two positions, entry by entry. */
export default function DiffScreen({ screen }: { screen: DiffAddress }) {
  const { book, from, to } = screen;
  const [isAll, setAll] = useState(false);
  const diff = useDiff({ book, from, to });
  const entries = diff.pages.flatMap(entriesOf).filter((entry) => isAll || !entry.isCalculated);
  const calculated = diff.pages.flatMap(({ values = [] }) => values).length;
  const [first] = diff.pages;
  const placeOf = ({ sheet, place }: DiffEntry) => ({
    name: 'sheet' as const,
    book,
    at: parsePosition(to),
    cell: place,
    compare: from,
    ...(sheet !== undefined && { sheet }),
  });
  return (
    <main class="page wide">
      <h1>
        {from} and {to} compared
      </h1>
      <Ends screen={screen} />
      {diff.error && <Fault error={diff.error} again={diff.more} />}
      {first && <Summary summary={first.summary} />}
      {first && entries.length > 0 && (
        <p class="actions">
          <ScreenLink to={{ name: 'sheet', book, at: parsePosition(to), compare: from }}>
            Show it in the cells
          </ScreenLink>
          {calculated > 0 && (
            <label>
              <input
                type="checkbox"
                checked={isAll}
                onChange={(event) => setAll(event.currentTarget.checked)}
              />{' '}
              also what is calculated anew
            </label>
          )}
        </p>
      )}
      {entries.length > 0 && <EntryTable entries={entries} placeOf={placeOf} />}
      {first && first.next !== null && diff.hasMore && (
        <button type="button" class="second" onClick={diff.more}>
          More of it
        </button>
      )}
    </main>
  );
}

function Ends({ screen }: { screen: DiffAddress }) {
  const { go } = useShell();
  const { book, from, to } = screen;
  const [ends, setEnds] = useState({ from, to });
  useEffect(() => setEnds({ from, to }), [from, to]);
  const compare = (event: Event) => {
    event.preventDefault();
    go({ name: 'diff', book, ...ends });
  };
  return (
    <form class="actions" onSubmit={compare}>
      <label>
        From
        <input
          value={ends.from}
          onInput={(event) => setEnds({ ...ends, from: event.currentTarget.value })}
        />
      </label>
      <label>
        To
        <input
          value={ends.to}
          onInput={(event) => setEnds({ ...ends, to: event.currentTarget.value })}
        />
      </label>
      <button type="submit" class="main">
        Compare
      </button>
      <button
        type="button"
        class="second"
        onClick={() => go({ name: 'diff', book, from: to, to: from })}
      >
        Swap
      </button>
    </form>
  );
}

function Summary({ summary }: { summary: Readonly<Record<string, number>> }) {
  const counts = countedWords(summary);
  if (counts.length === 0) return <p role="status">Nothing differs.</p>;
  return (
    <ul class="counts" aria-label="What differs">
      {counts.map(([name, count]) => (
        <li key={name}>
          <strong>{count}</strong> {name}
        </li>
      ))}
    </ul>
  );
}
