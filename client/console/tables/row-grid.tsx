import { useEffect, useRef, useState } from 'preact/hooks';

import type { Address } from '../../../server/model/address.ts';
import { positionText } from '../address.ts';
import { Grid } from '../grid/grid.ts';
import { rangeOfSelection, selectionOf, type Selection } from '../grid/selection.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { RowSource } from './row-source.ts';
import type { TableAddress } from './table-screen.tsx';
import { valueOf, type TableView } from './table.ts';

interface GridParts {
  readonly screen: TableAddress;
  readonly table: TableView;
  readonly path: string;
}

/** Rows of a table in a grid: input is written by key, selected rows can be deleted. */
export function RowGrid({ screen, table, path }: GridParts) {
  const { service } = useShell();
  const host = useRef<HTMLDivElement>(null);
  const grid = useRef<Grid>(undefined);
  const [source, setSource] = useState<RowSource>();
  const [, redraw] = useState(0);
  const [round, setRound] = useState(0);
  const [error, setError] = useState<Error>();
  const [selection, setSelection] = useState<Selection>(selectionOf(1, 0));
  const { at, where, order } = screen;
  const lock = lockOf(screen, table);
  useEffect(() => {
    const query = new URLSearchParams({
      ref: positionText(at),
      ...(where !== undefined && { where }),
      ...(order !== undefined && { order }),
    });
    const made = new RowSource(service, { path: `${path}/rows`, query: String(query) }, () => {
      grid.current?.draw();
      redraw((count) => count + 1);
    });
    setSource(made);
    return () => {
      made.close();
      grid.current?.close();
      grid.current = undefined;
    };
  }, [round]);
  const write = (body: unknown) => {
    setError(undefined);
    const branch = encodeURIComponent(at.branch);
    service
      .ask(`/v1/workbooks/${screen.book}/branches/${branch}/tables/${table.id}/rows`, { body })
      .then(() => setRound((count) => count + 1), setError);
  };
  const shape = source?.shape;
  useEffect(() => {
    if (!source || !shape || !host.current || grid.current) return;
    const events = { ...rowEvents(source, table, write), onSelect: setSelection };
    grid.current = new Grid(host.current, {
      source,
      shape,
      events: { ...events, lockedBecause: () => lock },
    });
    grid.current.select(selection);
  }, [source, shape?.rows.count]);
  const keys = keysOf(source, selection, table.keyColumn);
  return (
    <>
      {error && <Fault error={error} />}
      {source?.error && <Fault error={source.error} />}
      {lock !== undefined && <p class="quiet">{lock}</p>}
      <p role="status">{toldOf(source)}</p>
      <div class="grid embedded" ref={host} />
      {lock === undefined && (
        <p class="actions">
          <button
            type="button"
            class="second"
            disabled={keys.length === 0}
            onClick={() => write({ mode: 'delete', keys })}
          >
            Delete {keys.length} selected {keys.length === 1 ? 'row' : 'rows'}
          </button>
        </p>
      )}
      {lock === undefined && <NewRow table={table} onAdd={(row) => write({ rows: [row] })} />}
    </>
  );
}

/** Handlers of a grid of rows, which write an input to the row with its key. */
function rowEvents(
  source: RowSource,
  { keyColumn, schema }: TableView,
  write: (body: unknown) => void,
) {
  const columnAt = (column: number) =>
    schema.columns.find(({ name }) => name === source.columns[column]);
  return {
    onEdit: ({ row, column }: Address, text: string) => {
      const name = source.columns[column] ?? '';
      const key = source.rowAt(row)?.[keyColumn ?? ''];
      const { type } = columnAt(column) ?? {};
      const value = { [keyColumn ?? '']: key, [name]: valueOf(text, type) };
      if (key !== undefined) write({ mode: 'upsert', rows: [value] });
    },
    inputOf: (cell: Address) => {
      const { type = '' } = columnAt(cell.column) ?? {};
      const isDate = type === 'date' || type === 'datetime';
      return (isDate ? source.shownAt(cell) : undefined) ?? source.textAt(cell);
    },
  };
}

function lockOf({ at }: TableAddress, { keyColumn }: TableView): string | undefined {
  if (at.seq !== undefined) return 'This is an older position: it is read only.';
  return keyColumn === null
    ? 'This table has no key column: its rows are written in the sheet.'
    : undefined;
}

function keysOf(
  source: RowSource | undefined,
  selection: Selection,
  keyColumn: string | null,
): unknown[] {
  const { row0, row1 } = rangeOfSelection(selection);
  const keys: unknown[] = [];
  for (let row = Math.max(1, row0); row <= row1; row++) {
    const key = source?.rowAt(row)?.[keyColumn ?? ''];
    if (key !== undefined && key !== null) keys.push(key);
  }
  return keys;
}

function toldOf(source: RowSource | undefined): string {
  if (source?.error) return '';
  if (!source || source.columns.length === 0) return 'Loading rows…';
  const rows = `${source.total.toLocaleString()} ${source.total === 1 ? 'row' : 'rows'}`;
  return source.faulty === 0 ? rows : `${rows}; the condition is an error for ${source.faulty}`;
}

interface NewRowParts {
  readonly table: TableView;
  readonly onAdd: (row: Readonly<Record<string, unknown>>) => void;
}

function NewRow({ table, onAdd }: NewRowParts) {
  const columns = table.schema.columns.filter(({ formula }) => formula === undefined);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const add = (event: Event) => {
    event.preventDefault();
    const given = columns.filter(({ name }) => (texts[name] ?? '') !== '');
    onAdd(
      Object.fromEntries(given.map(({ name, type }) => [name, valueOf(texts[name] ?? '', type)])),
    );
    setTexts({});
  };
  return (
    <form class="fields" onSubmit={add}>
      <h2>Add a row</h2>
      {columns.map(({ name }) => (
        <label key={name}>
          {name}
          <input
            value={texts[name] ?? ''}
            required={name === table.keyColumn}
            onInput={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      <button type="submit" class="second">
        Add the row
      </button>
    </form>
  );
}
