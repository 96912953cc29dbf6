import { useEffect, useRef, useState } from 'preact/hooks';

import { columnName } from '../../../server/model/address.ts';
import { cellCount, rangeName, type Range } from '../../../server/model/range.ts';
import { rangeOfSelection, type Selection } from '../grid/selection.ts';
import { Dialog } from '../shell/dialog.tsx';
import { Fault } from '../shell/fault.tsx';
import { textsOf } from './cell-reads.ts';
import { hasHeader } from './header-guess.ts';
import { currentRegion } from './region.ts';
import type { SheetSession } from './sheet-session.ts';
import { sortRows, type SortKey } from './sorting.ts';

interface SortParts {
  readonly session: SheetSession;
  readonly selection: Selection;
  /**
   * True or false sorts by the active column at once, unless a question remains; undefined asks for
   * everything.
   */
  readonly isDescending: boolean | undefined;
  readonly onClose: () => void;
}

/** A block that can be sorted, and its guessed header. */
interface Sortable {
  readonly range: Range;
  readonly hasHeader: boolean;
  readonly names: readonly string[];
}

/** Sorts the selected rows, or those around the active cell, and asks where it is unclear. */
export default function SortDialog({ session, selection, isDescending, onClose }: SortParts) {
  const [sortables, setSortables] = useState<readonly Sortable[]>();
  const [error, setError] = useState<Error>();
  const { column } = selection.active;
  const leave = useLeaving(onClose);
  const sort = async (from: Sortable, keys: readonly SortKey[]) => {
    try {
      await sortRows(session, { ...from, keys });
      leave();
    } catch (fault) {
      setError(fault as Error);
    }
  };
  useEffect(() => {
    const begin = async () => {
      if (selection.also && selection.also.length > 0) {
        session.clipboard.tell('Rows of one range are sorted: select it alone.');
        return leave();
      }
      const found = await sortablesOf(session, selection);
      const [first] = found;
      if (!first) {
        session.clipboard.tell('There are no rows to sort here: select some of their cells.');
        return leave();
      }
      if (isDescending === undefined || found.length > 1) return setSortables(found);
      return sort(first, [{ column: within(column, first.range), isDescending }]);
    };
    begin().catch(setError);
  }, []);
  if (!sortables && !error) return null;
  return (
    <Dialog label="Sort rows" onClose={onClose}>
      {() => (
        <>
          {error && <Fault error={error} />}
          {sortables && (
            <Choices
              sortables={sortables}
              first={{ column, isDescending: isDescending === true }}
              onSort={(from, keys) => void sort(from, keys)}
            />
          )}
        </>
      )}
    </Dialog>
  );
}

/** Closes the dialog, unless another panel has replaced it. */
function useLeaving(onClose: () => void): () => void {
  const isHere = useRef(true);
  useEffect(
    () => () => {
      isHere.current = false;
    },
    [],
  );
  return () => {
    if (isHere.current) onClose();
  };
}

/** Returns the block of the active cell, and the selection if sorting it would tear rows apart. */
async function sortablesOf(
  session: SheetSession,
  selection: Selection,
): Promise<readonly Sortable[]> {
  const block = await currentRegion(session, selection.active);
  const ranges = rangesToSort(block, rangeOfSelection(selection), session.shape?.used);
  // A single column shows less about its header than the block around it.
  const isHeaded = await hasHeader(session, block);
  const sortable = async (range: Range) => ({
    range,
    hasHeader: range.row0 === block.row0 ? isHeaded : await hasHeader(session, range),
    names: (await textsOf(session, { ...range, row1: range.row0 }))[0] ?? [],
  });
  return Promise.all(ranges.filter(({ row0, row1 }) => row1 > row0).map(sortable));
}

function rangesToSort(block: Range, selected: Range, used: Range | undefined): readonly Range[] {
  if (cellCount(selected) === 1) return [block];
  const last = Math.max(selected.row0, used?.row1 ?? selected.row1);
  const right = Math.max(selected.column0, used?.column1 ?? selected.column1);
  const range = {
    ...selected,
    row1: Math.min(selected.row1, last),
    column1: Math.min(selected.column1, right),
  };
  const isBeside = block.column0 < range.column0 || block.column1 > range.column1;
  if (!isBeside) return [range];
  // A whole column, or some of its rows, means those rows of its block.
  const isWhole = range.row0 <= block.row0 && range.row1 >= block.row1;
  const rows = isWhole ? block : { ...block, row0: range.row0, row1: range.row1 };
  return [rows, range];
}

function within(column: number, { column0, column1 }: Range): number {
  return Math.min(Math.max(column, column0), column1);
}

interface ChoiceParts {
  readonly sortables: readonly Sortable[];
  readonly first: SortKey;
  readonly onSort: (from: Sortable, keys: readonly SortKey[]) => void;
}

function Choices({ sortables, first, onSort }: ChoiceParts) {
  const [at, setAt] = useState(0);
  const [header, setHeader] = useState<boolean>();
  const [keys, setKeys] = useState<readonly SortKey[]>([first]);
  const chosen = sortables[at];
  if (!chosen) return null;
  const isHeader = header ?? chosen.hasHeader;
  const { range, names } = chosen;
  const change = (index: number, key: SortKey) =>
    setKeys(keys.map((one, place) => (place === index ? key : one)));
  const send = (event: Event) => {
    event.preventDefault();
    const inside = keys.map((key) => ({ ...key, column: within(key.column, range) }));
    onSort({ ...chosen, hasHeader: isHeader }, inside);
  };
  return (
    <form class="fields" onSubmit={send}>
      <h2>Sort {rangeName(range)}</h2>
      {sortables.length > 1 && <Extents sortables={sortables} at={at} onChoose={setAt} />}
      <label class="check">
        <input
          type="checkbox"
          checked={isHeader}
          onChange={({ currentTarget }) => setHeader(currentTarget.checked)}
        />{' '}
        The first row is a header and stays
      </label>
      {keys.map((key, index) => (
        <KeyFields
          key={index}
          label={index === 0 ? 'Sort by' : 'Then by'}
          wanted={{ ...key, column: within(key.column, range) }}
          range={range}
          names={isHeader ? names : []}
          onChange={(next) => change(index, next)}
        />
      ))}
      <p class="actions">
        <button type="submit" class="main">
          Sort
        </button>
        <button
          type="button"
          class="second"
          onClick={() => setKeys([...keys, { column: range.column0, isDescending: false }])}
        >
          By one more column
        </button>
      </p>
    </form>
  );
}

interface ExtentParts extends Pick<ChoiceParts, 'sortables'> {
  readonly at: number;
  readonly onChoose: (at: number) => void;
}

/** Choice between whole rows and the selected part, which tears rows apart. */
function Extents({ sortables, at, onChoose }: ExtentParts) {
  const texts = ['Whole rows of', 'Only'];
  return (
    <fieldset>
      <legend>There are cells beside those that are selected</legend>
      {sortables.map(({ range }, index) => (
        <label key={rangeName(range)}>
          <input
            type="radio"
            name="extent"
            checked={at === index}
            onChange={() => onChoose(index)}
          />{' '}
          {texts[index]} {rangeName(range)}
        </label>
      ))}
    </fieldset>
  );
}

interface KeyParts {
  readonly label: string;
  readonly wanted: SortKey;
  readonly range: Range;
  readonly names: readonly string[];
  readonly onChange: (key: SortKey) => void;
}

function KeyFields({ label, wanted, range: { column0, column1 }, names, onChange }: KeyParts) {
  const columns = Array.from({ length: column1 - column0 + 1 }, (_, at) => column0 + at);
  return (
    <div class="person-line">
      <label>
        {label}{' '}
        <select
          value={String(wanted.column)}
          onChange={(event) => onChange({ ...wanted, column: Number(event.currentTarget.value) })}
        >
          {columns.map((column, at) => (
            <option key={column} value={String(column)}>
              {[columnName(column), names[at]].filter(Boolean).join(' – ')}
            </option>
          ))}
        </select>
      </label>
      <label>
        Order{' '}
        <select
          value={wanted.isDescending ? 'down' : 'up'}
          onChange={(event) =>
            onChange({ ...wanted, isDescending: event.currentTarget.value === 'down' })
          }
        >
          <option value="up">From low to high</option>
          <option value="down">From high to low</option>
        </select>
      </label>
    </div>
  );
}
