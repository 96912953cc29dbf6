import { useEffect, useRef, useState } from 'preact/hooks';

import { columnName, parseColumn } from '../../../server/model/address.ts';
import { cellCount, rangeName, type Range } from '../../../server/model/range.ts';
import { rangeOfSelection, type Selection } from '../grid/selection.ts';
import { Fault } from '../shell/fault.tsx';
import { textsOf } from './cell-reads.ts';
import {
  clearOps,
  columnsOf,
  filteredMost,
  filterOps,
  isKnown,
  showsText,
  withTexts,
  type ColumnTexts,
  type RowFilter,
} from './row-filter.ts';
import type { SheetSession } from './sheet-session.ts';

interface FilterParts {
  readonly session: SheetSession;
  readonly selection: Selection;
  readonly onClose: () => void;
}

const shownMost = 300;
const moreText = `The first ${shownMost} are shown: find others by a part of them.`;

/** Shows rows by the values of one column, and hides the others. */
export function FilterDialog({ session, selection, onClose }: FilterParts) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [filter] = useState(() => filterAt(session, selection));
  const column = columnName(selection.active.column);
  const { texts, error } = useTexts(session, filter, column);
  useEffect(() => dialog.current?.showModal(), []);
  const close = () => dialog.current?.close();
  const sheet = session.sheet?.id ?? '';
  const clear = () => {
    session.hand(...clearOps(filter, sheet));
    close();
  };
  const refusal = refusalOf(session, filter);
  const isLoading = [texts, error, refusal].every((one) => one === undefined);
  return (
    <dialog
      ref={dialog}
      class="wide-dialog"
      aria-label={`Filter by column ${column}`}
      onClose={onClose}
    >
      <div class="fields">
        <h2>
          Filter {rangeName(filter.range)} by column {column}
        </h2>
        {refusal !== undefined && <p>{refusal}</p>}
        {error && <Fault error={error} />}
        {isLoading && <p role="status">Loading its values…</p>}
        {texts && refusal === undefined && (
          <Values
            filter={filter}
            column={column}
            texts={texts}
            onFilter={(wanted) => {
              session.hand(...filterOps(wanted, texts, sheet));
              close();
            }}
          />
        )}
        <p class="actions">
          {session.lying.filter && session.lockedBecause === undefined && (
            <button type="button" class="second" onClick={clear}>
              Take the filter away
            </button>
          )}
          <button type="button" class="second" onClick={close}>
            Close
          </button>
        </p>
      </div>
    </dialog>
  );
}

/** Returns the filter of the sheet, or a new one of what is selected or of all that is filled. */
function filterAt({ lying, shape }: SheetSession, selection: Selection): RowFilter {
  const { column } = selection.active;
  const isIn = ({ column0, column1 }: Range) => column0 <= column && column <= column1;
  if (lying.filter && isIn(lying.filter.range)) return lying.filter;
  const selected = rangeOfSelection(selection);
  const used = shape?.used ?? selected;
  const isBlock = cellCount(selected) > 1 && selected.row1 > selected.row0;
  const range = isBlock ? { ...selected, row1: Math.min(selected.row1, used.row1) } : used;
  return { range, criteria: [] };
}

function refusalOf({ lockedBecause }: SheetSession, filter: RowFilter): string | undefined {
  if (lockedBecause !== undefined) return lockedBecause;
  const { row0, row1 } = filter.range;
  if (row1 <= row0) return 'There are no rows below the header: select a header with its rows.';
  if (row1 - row0 > filteredMost) {
    return `A filter hides among ${filteredMost.toLocaleString()} rows at most: select fewer.`;
  }
  if (isKnown(filter)) return undefined;
  return 'Its filter has conditions that this page keeps and cannot carry out: take it away first.';
}

/** Loads the texts of all columns that decide which rows are shown. */
function useTexts(session: SheetSession, filter: RowFilter, column: string) {
  const [texts, setTexts] = useState<ColumnTexts>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    if (refusalOf(session, filter) !== undefined) return;
    const { row0, row1 } = filter.range;
    const load = async (name: string) => {
      const index = parseColumn(name) ?? 0;
      const rows = await textsOf(session, { row0: row0 + 1, row1, column0: index, column1: index });
      return [name, rows.map(([text = '']) => text)] as const;
    };
    const names = [...new Set([...columnsOf(filter), column])];
    Promise.all(names.map(load)).then((columns) => setTexts(new Map(columns)), setError);
  }, []);
  return { texts, error };
}

interface ValueParts {
  readonly filter: RowFilter;
  readonly column: string;
  readonly texts: ColumnTexts;
  readonly onFilter: (wanted: RowFilter) => void;
}

/** A box for each value of the column; those that are found can be turned all at once. */
function Values({ filter, column, texts, onFilter }: ValueParts) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const cells = texts.get(column) ?? [];
  const counts = countsOf(cells);
  const all = [...counts.keys()];
  const [shown, setShown] = useState(
    () => new Set(all.filter((text) => showsText(filter, column, text))),
  );
  const [wanted, setWanted] = useState('');
  const found = all.filter((text) => text.toLowerCase().includes(wanted.toLowerCase()));
  const turn = (which: readonly string[], isOn: boolean) => {
    const next = new Set(shown);
    for (const text of which) {
      if (isOn) next.add(text);
      else next.delete(text);
    }
    setShown(next);
  };
  const send = (event: Event) => {
    event.preventDefault();
    onFilter(withTexts(filter, column, shown.size === all.length ? undefined : [...shown]));
  };
  return (
    <form class="fields" onSubmit={send}>
      <label>
        Find a value
        <input
          ref={field}
          type="search"
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
      </label>
      <p class="actions">
        <button type="button" class="second" onClick={() => turn(found, true)}>
          All
        </button>
        <button type="button" class="second" onClick={() => turn(found, false)}>
          None
        </button>
        <span role="status">
          {shown.size.toLocaleString()} of {all.length.toLocaleString()} values
        </span>
      </p>
      <ul class="plain values" aria-label="Values">
        {found.slice(0, shownMost).map((text) => (
          <li key={text}>
            <label>
              <input
                type="checkbox"
                checked={shown.has(text)}
                onChange={(event) => turn([text], event.currentTarget.checked)}
              />{' '}
              {text === '' ? '(blank)' : text}
            </label>{' '}
            <span class="quiet">{counts.get(text)}</span>
          </li>
        ))}
      </ul>
      {found.length > shownMost && <p class="quiet">{moreText}</p>}
      <button type="submit" class="main" disabled={shown.size === 0}>
        Show these rows
      </button>
    </form>
  );
}

/** Returns how often each text is there, in the order of a reader, with numbers by their size. */
function countsOf(cells: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of cells) counts.set(text, (counts.get(text) ?? 0) + 1);
  const order = new Intl.Collator(undefined, { numeric: true });
  return new Map([...counts].toSorted(([one], [other]) => order.compare(one, other)));
}
