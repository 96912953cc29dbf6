import { useEffect, useState } from 'preact/hooks';

import type { Screen } from '../address.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { countedWords } from './counts.ts';
import { Sign } from './sign.tsx';
import { Side, type CellSide } from './side.tsx';

interface CellChange {
  readonly sheet: string;
  readonly a1: { readonly from: string | null; readonly to: string | null };
  readonly change: string;
  readonly before?: CellSide;
  readonly after?: CellSide;
  readonly by?: string;
}

interface Diff {
  readonly relation: string;
  readonly summary: Readonly<Record<string, number>>;
  readonly total: number;
  readonly structure: readonly Readonly<Record<string, unknown>>[];
  readonly cells: readonly CellChange[];
  readonly next: string | null;
}

/** Everything that differs between two positions, entry by entry. */
export default function DiffScreen({ screen }: { screen: Extract<Screen, { name: 'diff' }> }) {
  const { service, go } = useShell();
  const { book, from, to } = screen;
  const [ends, setEnds] = useState({ from, to });
  useEffect(() => setEnds({ from, to }), [from, to]);
  const query = new URLSearchParams({ from, to, values: 'true' });
  const {
    value: diff,
    error,
    again,
  } = useLoaded(
    (signal) => service.ask<Diff>(`/v1/workbooks/${book}/diff?${query}`, { signal }),
    [book, from, to],
  );
  const compare = (event: Event) => {
    event.preventDefault();
    go({ name: 'diff', book, ...ends });
  };
  return (
    <main class="page wide">
      <h1>
        {from} and {to} compared
      </h1>
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
      {error && <Fault error={error} again={again} />}
      {diff && <Summary diff={diff} />}
      {diff && diff.cells.length > 0 && <CellTable cells={diff.cells} />}
      {diff?.next !== null && diff !== undefined && (
        <p class="quiet">
          There are more entries than these {diff.cells.length}: compare smaller stretches.
        </p>
      )}
    </main>
  );
}

function Summary({ diff }: { diff: Diff }) {
  const counts = countedWords(diff.summary);
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

function CellTable({ cells }: { cells: readonly CellChange[] }) {
  return (
    <table class="changes">
      <thead>
        <tr>
          <th scope="col">
            <span class="visually-hidden">Change</span>
          </th>
          <th scope="col">Cell</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
          <th scope="col">By</th>
        </tr>
      </thead>
      <tbody>
        {cells.map(({ sheet, a1, change, before, after, by }) => (
          <tr key={`${sheet} ${a1.from} ${a1.to}`} class={change}>
            <td>
              <Sign change={change} />
            </td>
            <td>
              {sheet}!{a1.to ?? a1.from}
            </td>
            <td>
              <Side side={before} />
            </td>
            <td>
              <Side side={after} />
            </td>
            <td>{by}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
