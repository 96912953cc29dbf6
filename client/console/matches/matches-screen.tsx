import { useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import type { TableView } from '../tables/table.ts';
import { columnsOf as namesOf, type MatchSummary } from './match.ts';

interface Lists {
  readonly matches: readonly MatchSummary[];
  readonly tables: readonly TableView[];
}

/** The matches of a workbook, and a form that proposes one. */
export default function MatchesScreen({ book }: { book: string }) {
  const { service } = useShell();
  const path = `/v1/workbooks/${book}`;
  const { value, error, again } = useLoaded<Lists>(
    async (signal) => {
      const [{ matches }, { tables }] = await Promise.all([
        service.ask<Pick<Lists, 'matches'>>(`${path}/matches`, { signal }),
        service.ask<Pick<Lists, 'tables'>>(`${path}/tables?ref=main`, { signal }),
      ]);
      return { matches, tables };
    },
    [path],
  );
  return (
    <main class="page wide">
      <h1>Matches</h1>
      <p>
        A match finds for each row of one table the row of another that means the same, such as a
        supplier in your list and in theirs.
      </p>
      {error && <Fault error={error} again={again} />}
      {!value && !error && <p role="status">Loading matches…</p>}
      {value && value.tables.length === 0 && (
        <p>
          It needs a table, and there is none on main:{' '}
          <ScreenLink to={{ name: 'tables', book, branch: 'main' }}>make one</ScreenLink>.
        </p>
      )}
      {value && value.tables.length > 0 && <Proposal book={book} tables={value.tables} />}
      {value && value.matches.length > 0 && <List book={book} lists={value} />}
    </main>
  );
}

function List({ book, lists: { matches, tables } }: { book: string; lists: Lists }) {
  const nameOf = (side: MatchSummary['left']) =>
    `${tables.find(({ id }) => id === side.tableId)?.name ?? side.tableId} ${namesOf(side)}`;
  return (
    <ul class="list">
      {matches.map(({ matchId, status, left, right, counts, createdAt }) => (
        <li key={matchId}>
          <ScreenLink to={{ name: 'match', book, match: matchId }}>
            {nameOf(left)} with {nameOf(right)}
          </ScreenLink>{' '}
          <span class={`state ${status}`}>{status}</span> {counts.accept} accepted, {counts.review}{' '}
          to review{' '}
          <time class="quiet" dateTime={createdAt}>
            {new Date(createdAt).toLocaleString()}
          </time>
        </li>
      ))}
    </ul>
  );
}

interface ProposalParts {
  readonly book: string;
  readonly tables: readonly TableView[];
}

interface Side {
  readonly tableId: string;
  readonly column: string;
}

function Proposal({ book, tables }: ProposalParts) {
  const { service, go } = useShell();
  const first = (table: TableView | undefined): Side => ({
    tableId: table?.id ?? '',
    column: table?.schema.columns[0]?.name ?? '',
  });
  const [left, setLeft] = useState(() => first(tables[0]));
  const [right, setRight] = useState(() => first(tables[1] ?? tables[0]));
  const [bounds, setBounds] = useState({ hi: 0.95, lo: 0.35 });
  const [error, setError] = useState<Error>();
  const propose = (event: Event) => {
    event.preventDefault();
    service
      .ask<{ matchId: string }>(`/v1/workbooks/${book}/matches`, {
        body: { left, right, opts: bounds },
      })
      .then(({ matchId }) => go({ name: 'match', book, match: matchId }))
      .catch(setError);
  };
  return (
    <form class="fields" onSubmit={propose}>
      {error && <Fault error={error} />}
      <SideChoice label="Rows of" tables={tables} side={left} onPick={setLeft} />
      <SideChoice label="look for a partner in" tables={tables} side={right} onPick={setRight} />
      {(['hi', 'lo'] as const).map((name) => (
        <label key={name}>
          {name === 'hi' ? 'Accept from the score' : 'Refuse below the score'}
          <input
            type="number"
            min={0}
            max={1}
            step={0.01}
            value={bounds[name]}
            onInput={(event) => setBounds({ ...bounds, [name]: Number(event.currentTarget.value) })}
          />
        </label>
      ))}
      <button type="submit" class="main">
        Match them
      </button>
    </form>
  );
}

interface SideParts {
  readonly label: string;
  readonly tables: readonly TableView[];
  readonly side: Side;
  readonly onPick: (side: Side) => void;
}

function SideChoice({ label, tables, side, onPick }: SideParts) {
  const table = tables.find(({ id }) => id === side.tableId);
  const columnsOf = (one: TableView | undefined) =>
    one?.schema.columns.map(({ name }) => name) ?? [];
  return (
    <fieldset class="actions">
      <legend>{label}</legend>
      <label>
        Table
        <select
          value={side.tableId}
          onChange={({ currentTarget: { value } }) => {
            const [column = ''] = columnsOf(tables.find(({ id }) => id === value));
            onPick({ tableId: value, column });
          }}
        >
          {tables.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Column
        <select
          value={side.column}
          onChange={(event) => onPick({ ...side, column: event.currentTarget.value })}
        >
          {columnsOf(table).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    </fieldset>
  );
}
