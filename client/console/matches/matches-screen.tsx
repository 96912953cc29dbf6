import { useState } from 'preact/hooks';

import { refusalOf, useAccess } from '../shell/access.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { curlLine, NothingYet } from '../shell/nothing-yet.tsx';
import { Waiting } from '../shell/waiting.tsx';
import type { TableView } from '../tables/table.ts';
import { columnsOf as namesOf, statusText, type MatchSummary } from './match.ts';

interface Lists {
  readonly matches: readonly MatchSummary[];
  readonly tables: readonly TableView[];
  readonly providers: readonly Provider[];
}

/** A provider that the operator has configured. */
interface Provider {
  readonly name: string;
  readonly use: 'embeddings' | 'verification' | 'both';
  readonly model: string | null;
}

/** The matches of a workbook, and a form that proposes one. */
export default function MatchesScreen({ book }: { book: string }) {
  const { service } = useShell();
  const path = `/v1/workbooks/${book}`;
  const lock = refusalOf(useAccess(book), 'write');
  const { value, error, again } = useLoaded<Lists>(
    async (signal) => {
      const [{ matches }, { tables }, { providers }] = await Promise.all([
        service.ask<Pick<Lists, 'matches'>>(`${path}/matches`, { signal }),
        service.ask<Pick<Lists, 'tables'>>(`${path}/tables?ref=main`, { signal }),
        service.ask<Pick<Lists, 'providers'>>('/v1/match-providers', { signal }),
      ]);
      return { matches, tables, providers };
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
      {!value && !error && <Waiting label="Loading matches…" />}
      {lock !== undefined && <p class="lock">{lock}</p>}
      {value && <Lists book={book} lists={value} isLocked={lock !== undefined} />}
    </main>
  );
}

interface ListsParts {
  readonly book: string;
  readonly lists: Lists;
  readonly isLocked: boolean;
}

function Lists({ book, lists, isLocked }: ListsParts) {
  const { tables, matches, providers } = lists;
  return (
    <>
      {tables.length === 0 && (
        <p>
          It needs a table, and there is none on main:{' '}
          <ScreenLink to={{ name: 'tables', book, branch: 'main' }}>make one</ScreenLink>.
        </p>
      )}
      {tables.length > 0 && !isLocked && <Proposal {...{ book, tables, providers }} />}
      {matches.length === 0 && <NoMatch book={book} tables={tables} />}
      {matches.length > 0 && <List book={book} lists={lists} />}
    </>
  );
}

function NoMatch({ book, tables }: Pick<ProposalParts, 'book' | 'tables'>) {
  const columnOf = (table: TableView | undefined, at: string) =>
    `${table?.name ?? at}.${table?.schema.columns[0]?.name ?? 'Name'}`;
  const sides = [columnOf(tables[0], 'Orders'), columnOf(tables[1] ?? tables[0], 'Customers')];
  const [left = '', right = ''] = sides;
  const sideOf = (text: string) => {
    const [tableId, column] = text.split('.');
    return { tableId, column };
  };
  return (
    <NothingYet
      command={`quire match ${book} ${left} ${right}`}
      request={curlLine(`/v1/workbooks/${book}/matches`, {
        left: sideOf(left),
        right: sideOf(right),
      })}
    >
      Nothing was matched yet.
    </NothingYet>
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
          <span class={`state ${status}`}>{statusText(status)}</span> {counts.accept} accepted,{' '}
          {counts.review} to review{' '}
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
  readonly providers: readonly Provider[];
}

interface Side {
  readonly tableId: string;
  readonly column: string;
}

function Proposal({ book, tables, providers }: ProposalParts) {
  const { service, go } = useShell();
  const first = (table: TableView | undefined): Side => ({
    tableId: table?.id ?? '',
    column: table?.schema.columns[0]?.name ?? '',
  });
  const [left, setLeft] = useState(() => first(tables[0]));
  const [right, setRight] = useState(() => first(tables[1] ?? tables[0]));
  const [bounds, setBounds] = useState({ hi: 0.95, lo: 0.35 });
  const [by, setBy] = useState({ provider: 'local', verifyProvider: 'local' });
  const [error, setError] = useState<Error>();
  const propose = (event: Event) => {
    event.preventDefault();
    service
      .ask<{ matchId: string }>(`/v1/workbooks/${book}/matches`, {
        body: { left, right, opts: { ...bounds, ...by } },
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
      <ProviderChoice
        label="Compared by"
        names={namesFor(providers, 'embeddings')}
        value={by.provider}
        onPick={(provider) => setBy({ ...by, provider })}
      />
      <ProviderChoice
        label="Decided in between by"
        names={[...namesFor(providers, 'verification'), ['none', 'a person']]}
        value={by.verifyProvider}
        onPick={(verifyProvider) => setBy({ ...by, verifyProvider })}
      />
      <button type="submit" class="main">
        Match them
      </button>
    </form>
  );
}

type NamedProvider = readonly [name: string, label: string];

/** Returns the providers for a use, this service itself first. */
function namesFor(
  providers: readonly Provider[],
  use: 'embeddings' | 'verification',
): readonly NamedProvider[] {
  const others = providers.filter(
    (one) => one.name !== 'local' && (one.use === use || one.use === 'both'),
  );
  return [
    ['local', 'this service'],
    ...others.map(({ name, model }): NamedProvider => [name, model ? `${name}, ${model}` : name]),
  ];
}

interface ProviderParts {
  readonly label: string;
  readonly names: readonly NamedProvider[];
  readonly value: string;
  readonly onPick: (name: string) => void;
}

function ProviderChoice({ label, names, value, onPick }: ProviderParts) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onPick(event.currentTarget.value)}>
        {names.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </label>
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
