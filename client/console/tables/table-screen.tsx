import { useEffect, useState } from 'preact/hooks';

import { positionText, type Screen } from '../address.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { ImportRows } from './import-rows.tsx';
import { RowGrid } from './row-grid.tsx';
import { RowGroups } from './row-groups.tsx';
import { TableChanges } from './table-changes.tsx';
import { tellScreen } from '../shell/title.ts';
import { Waiting } from '../shell/waiting.tsx';
import { Locked, useLock, type Lock } from './table-lock.tsx';
import { TableSchema } from './table-schema.tsx';
import type { TableView } from './table.ts';

export type TableAddress = Extract<Screen, { name: 'table' }>;

/** One table: its columns, its rows, files that become rows, and what changed. */
export default function TableScreen({ screen }: { screen: TableAddress }) {
  const { service } = useShell();
  const { book, table: id, at } = screen;
  const ref = positionText(at);
  const path = `/v1/workbooks/${book}/tables/${encodeURIComponent(id)}`;
  const { value, error, again } = useLoaded(
    (signal) =>
      service.ask<{ readonly table: TableView }>(`${path}?ref=${encodeURIComponent(ref)}`, {
        signal,
      }),
    [path, ref],
  );
  const name = value?.table.name;
  useEffect(() => {
    if (name !== undefined) tellScreen(`${name} ${ref}`);
  }, [name, ref]);
  return (
    <main class="page wide">
      <h1>{name ?? 'A table'}</h1>
      {error && <Fault error={error} again={again} />}
      {!value && !error && <Waiting label="Loading the table…" lines={6} />}
      {value && <Parts screen={screen} table={value.table} path={path} />}
    </main>
  );
}

interface TableParts {
  readonly screen: TableAddress;
  readonly table: TableView;
  readonly path: string;
}

const labels: Readonly<Record<string, string>> = {
  rows: 'Rows',
  import: 'Import rows',
  changes: 'Changes',
};

function Parts({ screen, table, path }: TableParts) {
  const { book, table: id, at, view = 'rows' } = screen;
  const lock = useLock(book, at);
  const reader = lock && (
    <Locked
      {...{ lock, book, at }}
      goal={(branch) => ({ name: 'table', book, table: id, at: { branch } })}
    />
  );
  return (
    <>
      <TableSchema table={table} />
      <nav aria-label="Parts of the table" class="places">
        {Object.entries(labels).map(([name, label]) => (
          <ScreenLink
            key={name}
            to={{ name: 'table', book, table: id, at, view: name }}
            isCurrent={view === name}
          >
            {label}
          </ScreenLink>
        ))}
      </nav>
      {view !== 'changes' && reader}
      {view === 'rows' && <Rows {...{ screen, table, path, lock }} />}
      {view === 'import' && !lock && <ImportRows screen={screen} table={table} />}
      {view === 'changes' && <TableChanges key={screen.from} screen={screen} path={path} />}
    </>
  );
}

interface RowsParts extends TableParts {
  readonly lock: Lock | undefined;
}

function Rows({ screen, table, path, lock }: RowsParts) {
  const { where, order, group } = screen;
  return (
    <>
      <Question key={`${where} ${order} ${group}`} screen={screen} table={table} />
      {group === undefined ? (
        <RowGrid key={`${where} ${order}`} {...{ screen, table, path, lock }} />
      ) : (
        <RowGroups screen={screen} table={table} path={path} />
      )}
    </>
  );
}

function Question({ screen, table }: { screen: TableAddress; table: TableView }) {
  const { go } = useShell();
  const [asked, setAsked] = useState({
    where: screen.where ?? '',
    order: screen.order ?? '',
    group: screen.group ?? '',
  });
  const names = table.schema.columns.map(({ name }) => name);
  const ask = (event: Event) => {
    event.preventDefault();
    const given = Object.entries(asked).filter(([, text]) => text !== '');
    const { name, book, table: id, at } = screen;
    go({ name, book, table: id, at, ...Object.fromEntries(given) });
  };
  const choice = (label: string, member: 'order' | 'group', options: readonly string[]) => (
    <label>
      {label}
      <select
        value={asked[member]}
        onChange={(event) => setAsked({ ...asked, [member]: event.currentTarget.value })}
      >
        <option value="">as they are</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option.startsWith('-') ? `${option.slice(1)}, from high to low` : option}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <form class="actions" onSubmit={ask}>
      <label>
        Only rows where
        <input
          value={asked.where}
          placeholder={`[@${names.at(-1) ?? 'Price'}]>10`}
          onInput={(event) => setAsked({ ...asked, where: event.currentTarget.value })}
        />
      </label>
      {choice('Order', 'order', [...names, ...names.map((name) => `-${name}`)])}
      {choice('Group', 'group', names)}
      <button type="submit" class="main">
        Ask
      </button>
    </form>
  );
}
