import { useState } from 'preact/hooks';

import { positionText, type Position, type Screen } from '../address.ts';
import { ColumnHeads } from '../shell/column-heads.tsx';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { curlLine, NothingYet } from '../shell/nothing-yet.tsx';
import { Waiting } from '../shell/waiting.tsx';
import { Locked, useLock } from './table-lock.tsx';
import type { TableView } from './table.ts';

interface TablesParts {
  readonly screen: Extract<Screen, { name: 'tables' }>;
}

/** Screen of the tables of a branch, with a form that makes one from cells. */
export default function TablesScreen({ screen }: TablesParts) {
  const { service } = useShell();
  const { name: _name, book, ...at } = screen;
  const ref = positionText(at);
  const lock = useLock(book, at);
  const { value, error, again } = useLoaded(
    (signal) =>
      service.ask<{ tables: readonly TableView[] }>(
        `/v1/workbooks/${book}/tables?ref=${encodeURIComponent(ref)}`,
        { signal },
      ),
    [book, ref],
  );
  return (
    <main class="page wide">
      <h1>Tables of {ref}</h1>
      {error && <Fault error={error} again={again} />}
      {!value && !error && <Waiting label="Loading tables…" />}
      {value?.tables.length === 0 && <NoTable book={book} branch={at.branch} />}
      {value && value.tables.length > 0 && <List tables={value.tables} book={book} at={at} />}
      {lock ? (
        <Locked {...{ lock, book, at }} goal={(branch) => ({ name: 'tables', book, branch })} />
      ) : (
        <Making book={book} branch={at.branch} />
      )}
    </main>
  );
}

function NoTable({ book, branch }: { readonly book: string; readonly branch: string }) {
  const path = `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/tables`;
  const body = { name: 'Costs', sheetRange: 'Budget!A1:H5', keyColumn: 'Name' };
  const operation = JSON.stringify({ kind: 'table.create', payload: body });
  return (
    <NothingYet
      command={`echo '${operation}' | quire ops ${book}@${branch}`}
      request={curlLine(path, body)}
    >
      A table gives rows a key and columns a type, so that programs can write and follow them. There
      is none yet: make one of cells that have a header.
    </NothingYet>
  );
}

interface ListParts {
  readonly tables: readonly TableView[];
  readonly book: string;
  readonly at: Position;
}

function List({ tables, book, at }: ListParts) {
  return (
    <div class="scrolling">
      <table>
        <ColumnHeads names={['Name', 'Place', 'Key', 'Columns', 'Rows']} />
        <tbody>
          {tables.map(({ id, name, sheet, range, keyColumn, schema, rowCount }) => (
            <tr key={id}>
              <td>
                <ScreenLink to={{ name: 'table', book, table: id, at }}>{name}</ScreenLink>
              </td>
              <td>
                <ScreenLink
                  to={{ name: 'sheet', book, at, sheet, cell: range }}
                >{`${sheet}!${range}`}</ScreenLink>
              </td>
              <td>{keyColumn ?? <span class="quiet">none</span>}</td>
              <td>{schema.columns.map((column) => column.name).join(', ')}</td>
              <td>{rowCount.toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Making({ book, branch }: { book: string; branch: string }) {
  const { service, go } = useShell();
  const [made, setMade] = useState({ name: '', sheetRange: '', keyColumn: '' });
  const [error, setError] = useState<Error>();
  const make = (event: Event) => {
    event.preventDefault();
    const { name, sheetRange, keyColumn } = made;
    const body = { name, sheetRange, ...(keyColumn !== '' && { keyColumn }) };
    service
      .ask<{ table: TableView }>(
        `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/tables`,
        { body },
      )
      .then(({ table }) => go({ name: 'table', book, table: table.id, at: { branch } }))
      .catch(setError);
  };
  const field = (label: string, name: keyof typeof made, placeholder: string) => (
    <label>
      {label}
      <input
        value={made[name]}
        placeholder={placeholder}
        required={name !== 'keyColumn'}
        onInput={(event) => setMade({ ...made, [name]: event.currentTarget.value })}
      />
    </label>
  );
  return (
    <form class="fields" onSubmit={make}>
      <h2>Make a table of cells</h2>
      {error && <Fault error={error} />}
      {field('Name of the table', 'name', 'Costs')}
      {field('Cells with their header', 'sheetRange', 'Budget!A1:H5')}
      {field('Key column, if one is unique', 'keyColumn', 'Name')}
      <button type="submit" class="main">
        Make the table
      </button>
    </form>
  );
}
