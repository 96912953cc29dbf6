import { useEffect, useState } from 'preact/hooks';

import { parsePosition, type Screen } from '../address.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { countedWords } from './counts.ts';
import { entriesOf, type DiffEntry } from './diff-page.ts';
import { Sign } from './sign.tsx';
import { Side } from './side.tsx';
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
      {entries.length > 0 && <EntryTable entries={entries} screen={screen} />}
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

interface TableParts {
  readonly entries: readonly DiffEntry[];
  readonly screen: DiffAddress;
}

function EntryTable({ entries, screen }: TableParts) {
  return (
    <table class="changes">
      <thead>
        <tr>
          <th scope="col">
            <span class="visually-hidden">Change</span>
          </th>
          <th scope="col">Where</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
          <th scope="col">By</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.key} class={entry.change}>
            <td>
              <Sign change={entry.change} />
            </td>
            <td>
              <Place entry={entry} screen={screen} />
              {entry.told && <div class="quiet">{entry.told}</div>}
            </td>
            <td>{entry.before !== undefined && <Side side={entry.before} />}</td>
            <td>{entry.after !== undefined && <Side side={entry.after} />}</td>
            <td>{entry.by}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What is still there can be gone to. */
function Place({ entry, screen }: { entry: DiffEntry; screen: DiffAddress }) {
  const { sheet, place, isThere } = entry;
  const name = [sheet, place].filter(Boolean).join('!');
  if (!isThere || sheet === undefined) return <>{name}</>;
  const { book, from, to } = screen;
  const cells = { at: parsePosition(to), sheet, cell: place, compare: from };
  return <ScreenLink to={{ name: 'sheet', book, ...cells }}>{name}</ScreenLink>;
}
