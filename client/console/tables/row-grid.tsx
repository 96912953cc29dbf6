import { useEffect, useRef, useState } from 'preact/hooks';

import type { Address } from '../../../server/model/address.ts';
import { positionText } from '../address.ts';
import { Grid } from '../grid/grid.ts';
import { rangeOfSelection, selectionOf, type Selection } from '../grid/selection.ts';
import { useShell } from '../shell/context.ts';
import { Computing } from '../shell/computing.tsx';
import { Fault } from '../shell/fault.tsx';
import { inputText } from '../sheet/input-text.ts';
import { RowSource } from './row-source.ts';
import type { TableAddress } from './table-screen.tsx';
import type { Lock } from './table-lock.tsx';
import { valueOf, type TableView } from './table.ts';

interface GridParts {
  readonly screen: TableAddress;
  readonly table: TableView;
  readonly path: string;
  /** Undefined if rows can be written. */
  readonly lock: Lock | undefined;
}

/** Rows of a table in a grid: input is written by key, selected rows can be deleted. */
export function RowGrid(parts: GridParts) {
  const { table, lock } = parts;
  const host = useRef<HTMLDivElement>(null);
  const grid = useRef<Grid>(undefined);
  const [selection, setSelection] = useState<Selection>(selectionOf(1, 0));
  const reason = lock?.reason ?? keyless(table);
  const locked = useRef(reason);
  locked.current = reason;
  const source = useSource(parts, grid);
  const { refused, write, leave } = useWriting(parts, source);
  const hasShape = source?.shape !== undefined;
  useEffect(() => {
    if (!source?.shape || !host.current) return undefined;
    const events = { ...rowEvents(source, table, write), onSelect: setSelection };
    grid.current = new Grid(host.current, {
      source,
      shape: source.shape,
      events: { ...events, lockedBecause: () => locked.current },
    });
    grid.current.select(selection);
    return () => {
      grid.current?.close();
      grid.current = undefined;
    };
  }, [source, hasShape]);
  const keys = keysOf(source, selection, table.keyColumn);
  return (
    <>
      {refused && <NotWritten refused={refused} onAgain={write} onLeave={leave} />}
      {source?.error && <Fault error={source.error} again={() => source.reload()} />}
      {!lock && reason !== undefined && <p class="lock">{reason}</p>}
      <Calculating screen={parts.screen} source={source} />
      <p role="status">{toldOf(source)}</p>
      <div class="grid embedded" ref={host} />
      {reason === undefined && (
        <>
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
          <NewRow table={table} onAdd={(row) => write({ rows: [row] })} />
        </>
      )}
    </>
  );
}

interface CalculatingParts {
  readonly screen: TableAddress;
  readonly source: RowSource | undefined;
}

/** Progress of the values that the rows need, while the service calculates them. */
function Calculating({ screen: { book, at }, source }: CalculatingParts) {
  if (source?.isComputing !== true) return null;
  const told = 'The service calculates the values of these rows.';
  return <Computing book={book} ends={[positionText(at)]} told={told} />;
}

/** Makes the source of the rows that are asked for, which redraws the grid as they come. */
function useSource({ screen, path }: GridParts, grid: { readonly current: Grid | undefined }) {
  const { service } = useShell();
  const [source, setSource] = useState<RowSource>();
  const [, redraw] = useState(0);
  const { at, where, order } = screen;
  useEffect(() => {
    const query = new URLSearchParams({
      ref: positionText(at),
      ...(where !== undefined && { where }),
      ...(order !== undefined && { order }),
    });
    const made = new RowSource(service, { path: `${path}/rows`, query: String(query) }, () => {
      if (made.shape) grid.current?.reshape(made.shape);
      grid.current?.draw();
      redraw((count) => count + 1);
    });
    setSource(made);
    return () => made.close();
  }, []);
  return source;
}

/** Writes rows and keeps what is refused; the grid stays, and with it the focus. */
function useWriting({ screen, table }: GridParts, source: RowSource | undefined) {
  const { service } = useShell();
  const [refused, setRefused] = useState<Refused>();
  const write = (body: object) => {
    setRefused(undefined);
    const branch = encodeURIComponent(screen.at.branch);
    service
      .ask(`/v1/workbooks/${screen.book}/branches/${branch}/tables/${table.id}/rows`, { body })
      .then(
        () => source?.reload(),
        (error: Error) => setRefused({ error, body }),
      );
  };
  return { refused, write, leave: () => setRefused(undefined) };
}

/** Handlers of a grid of rows, which write an input to the row with its key. */
function rowEvents(
  source: RowSource,
  { keyColumn, schema }: TableView,
  write: (body: object) => void,
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

/** A write that was refused, with what was typed. */
interface Refused {
  readonly error: Error;
  readonly body: { readonly rows?: readonly Readonly<Record<string, unknown>>[] };
}

interface NotWrittenParts {
  readonly refused: Refused;
  readonly onAgain: (body: Refused['body']) => void;
  readonly onLeave: () => void;
}

/** Keeps what was typed and not written, until it is tried again or left. */
function NotWritten({ refused: { error, body }, onAgain, onLeave }: NotWrittenParts) {
  const typed = (body.rows ?? []).flatMap((row) =>
    Object.entries(row).map(([name, value]) => `${name}: ${inputText(value)}`),
  );
  return (
    <section aria-label="Not written">
      <Fault error={error} again={() => onAgain(body)} />
      {typed.length > 0 && (
        <p class="actions">
          <span>
            Not written: <code>{typed.join(', ')}</code>
          </span>
          <button type="button" class="second" onClick={onLeave}>
            Leave it
          </button>
        </p>
      )}
    </section>
  );
}

function keyless({ keyColumn }: TableView): string | undefined {
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
