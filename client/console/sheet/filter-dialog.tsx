import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { columnName, parseColumn, type Address } from '../../../server/model/address.ts';
import { cellCount, rangeName, type Range } from '../../../server/model/range.ts';
import { rangeOfSelection, type Selection } from '../grid/selection.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { useModal } from '../shell/modal.ts';
import { pagesOf } from './cell-reads.ts';
import { inputText } from './input-text.ts';
import { currentRegion } from './region.ts';
import {
  clearOps,
  columnsOf,
  filterOps,
  isKnown,
  offeredOf,
  shownRow,
  showsText,
  valuesMost,
  withTexts,
  type ColumnTexts,
  type RowFilter,
} from './row-filter.ts';
import type { SheetSession } from './sheet-session.ts';
import { caughtUp } from './sorting.ts';

interface FilterParts {
  readonly session: SheetSession;
  readonly selection: Selection;
  readonly onGo: (cell: Address) => void;
  readonly onClose: () => void;
}

const shownMost = 300;
const moreText = `The first ${shownMost} are shown: find others by a part of them.`;

/** Dialog that filters rows by the values of a column. */
export default function FilterDialog({ session, selection, onGo, onClose }: FilterParts) {
  const { close, attributes } = useModal(onClose);
  const { value: filter, error } = useLoaded(() => filterAt(session, selection), []);
  const column = columnName(selection.active.column);
  const sheet = session.sheet?.id ?? '';
  const isOfSheet = session.records.filter !== undefined && session.lockedBecause === undefined;
  const clear = () => {
    if (session.records.filter) session.hand(...clearOps(session.records.filter, sheet));
    close();
  };
  return (
    <dialog {...attributes} class="wide-dialog" aria-label={`Filter by column ${column}`}>
      <div class="fields">
        {error && <Fault error={error} />}
        {filter ? (
          <Filtering
            filter={filter}
            column={column}
            session={session}
            onFilter={(wanted, texts) => {
              session.hand(...filterOps(wanted, texts, sheet));
              close();
              const row = shownRow(wanted, texts, selection.active.row);
              if (row !== undefined) onGo({ row, column: selection.active.column });
            }}
          />
        ) : (
          !error && <p role="status">Looking for the rows around {column}…</p>
        )}
        <p class="actions">
          {isOfSheet && (
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

interface FilteringParts {
  readonly filter: RowFilter;
  readonly column: string;
  readonly session: SheetSession;
  readonly onFilter: (wanted: RowFilter, texts: ColumnTexts) => void;
}

/** Values of a column once they are loaded, or why they cannot be filtered. */
function Filtering({ filter, column, session, onFilter }: FilteringParts) {
  const refusal = refusalOf(session, filter);
  const { texts, loaded, error } = useTexts(session, filter, column);
  const all = filter.range.row1 - filter.range.row0;
  return (
    <>
      <h2>
        Filter {rangeName(filter.range)} by column {column}
      </h2>
      {refusal !== undefined && <p>{refusal}</p>}
      {error && <Fault error={error} />}
      {!texts && !error && refusal === undefined && (
        <p role="status">
          Loading its values…{' '}
          {loaded > 0 && `${loaded.toLocaleString()} of ${all.toLocaleString()}`}
        </p>
      )}
      {texts && refusal === undefined && (
        <Values
          filter={filter}
          column={column}
          texts={texts}
          onFilter={(wanted) => onFilter(wanted, texts)}
        />
      )}
    </>
  );
}

/** Returns the filter of the sheet, or a new one for the selection or the block around it. */
async function filterAt(session: SheetSession, selection: Selection): Promise<RowFilter> {
  // A new filter is known once its edit has come back.
  if (session.lockedBecause === undefined) await caughtUp(session);
  const { records, shape } = session;
  const { column } = selection.active;
  const isIn = ({ column0, column1 }: Range) => column0 <= column && column <= column1;
  if (records.filter && isIn(records.filter.range)) return records.filter;
  const selected = rangeOfSelection(selection);
  const used = shape?.used ?? selected;
  if (cellCount(selected) === 1 || selected.row1 === selected.row0) {
    return { range: await currentRegion(session, selection.active), criteria: [] };
  }
  const row1 = Math.max(selected.row0, Math.min(selected.row1, used.row1));
  const column1 = Math.max(selected.column0, Math.min(selected.column1, used.column1));
  return { range: { ...selected, row1, column1 }, criteria: [] };
}

function refusalOf({ lockedBecause }: SheetSession, filter: RowFilter): string | undefined {
  if (lockedBecause !== undefined) return lockedBecause;
  const { row0, row1 } = filter.range;
  if (row1 <= row0) return 'There are no rows below the header: select a header with its rows.';
  if (isKnown(filter)) return undefined;
  return 'Its filter has conditions that this page keeps and cannot carry out: take it away first.';
}

/** Loads the texts of all columns with a rule, and reports progress. */
function useTexts(session: SheetSession, filter: RowFilter, column: string) {
  const [loaded, setLoaded] = useState(0);
  const { value: texts, error } = useLoaded(async (signal) => {
    if (refusalOf(session, filter) !== undefined) return undefined;
    const { row0, row1 } = filter.range;
    const load = async (name: string) => {
      const index = parseColumn(name) ?? 0;
      const lane = { row0: row0 + 1, row1, column0: index, column1: index };
      const cells: string[] = [];
      for await (const rows of pagesOf(session, lane, 'formatted')) {
        signal.throwIfAborted();
        for (const [text] of rows) cells.push(inputText(text));
        setLoaded(cells.length);
      }
      return [name, cells] as const;
    };
    const names = [...new Set([...columnsOf(filter), column])];
    return new Map(await Promise.all(names.map(load)));
  }, []);
  return { texts, loaded, error };
}

interface ValueParts {
  readonly filter: RowFilter;
  readonly column: string;
  readonly texts: ColumnTexts;
  readonly onFilter: (wanted: RowFilter) => void;
}

/** Check boxes for the values of the column; found ones can be switched together. */
function Values({ filter, column, texts, onFilter }: ValueParts) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const { offered, kept } = useMemo(() => offeredOf(filter, column, texts), [texts]);
  const counts = useMemo(() => countsOf(offered), [offered]);
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
  const isWhole = shown.size === all.length && !kept.isHiding;
  const named = shown.size + kept.shown.length;
  const isTooMany = !isWhole && named > valuesMost;
  const send = (event: Event) => {
    event.preventDefault();
    onFilter(withTexts(filter, column, isWhole ? undefined : [...shown, ...kept.shown]));
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
      <ValueList {...{ found, shown, counts }} onTurn={(text, isOn) => turn([text], isOn)} />
      {found.length > shownMost && <p class="quiet">{moreText}</p>}
      {isTooMany && (
        <p role="alert">
          A filter names {valuesMost.toLocaleString()} values at most, and this one{' '}
          {named.toLocaleString()}: choose fewer of them.
        </p>
      )}
      <button type="submit" class="main" disabled={shown.size === 0 || isTooMany}>
        Show these rows
      </button>
    </form>
  );
}

interface ListParts {
  readonly found: readonly string[];
  readonly shown: ReadonlySet<string>;
  readonly counts: ReadonlyMap<string, number>;
  readonly onTurn: (text: string, isOn: boolean) => void;
}

function ValueList({ found, shown, counts, onTurn }: ListParts) {
  return (
    <ul class="plain values" aria-label="Values">
      {found.slice(0, shownMost).map((text) => (
        <li key={text}>
          <label>
            <input
              type="checkbox"
              checked={shown.has(text)}
              onChange={({ currentTarget }) => onTurn(text, currentTarget.checked)}
            />{' '}
            {text === '' ? '(blank)' : text}
          </label>{' '}
          <span class="quiet">{counts.get(text)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Returns the number of each text, in reading order, with numbers by size. */
function countsOf(cells: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of cells) counts.set(text, (counts.get(text) ?? 0) + 1);
  const order = new Intl.Collator(undefined, { numeric: true });
  return new Map([...counts].toSorted(([one], [other]) => order.compare(one, other)));
}
