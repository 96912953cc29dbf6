import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import { cellName, type Address } from '../../../server/model/address.ts';
import { parsePosition } from '../address.ts';
import { Grid } from '../grid/grid.ts';
import { selectionOf } from '../grid/selection.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { ComparedSource } from './compared-source.ts';
import {
  loadComparedSheet,
  nameOfCompared,
  type ComparedEnds,
  type ComparedOutline,
} from './compared-sheets.ts';
import type { DiffEntry } from './diff-page.ts';
import { areasOf, EntryPlaces } from './entry-places.ts';
import type { ShownParts } from './shown-choice.tsx';
import { Side } from './side.tsx';

export interface GridParts {
  /** Both positions with their sequence numbers. */
  readonly ends: ComparedEnds;
  readonly sheet: ComparedOutline;
  /** Differences that are loaded. */
  readonly entries: readonly DiffEntry[];
  /** Entry to show; undefined for none. */
  readonly shown: DiffEntry | undefined;
  readonly parts: ShownParts;
}

/** One sheet at two positions in one grid: removed cells are struck through at their old places. */
export function ComparedGrid({ ends, sheet, entries, shown, parts }: GridParts) {
  const { service } = useShell();
  const { book, from, to, merge } = ends;
  const host = useRef<HTMLDivElement>(null);
  const grid = useRef<Grid>(undefined);
  const [source, setSource] = useState<ComparedSource>();
  const [active, setActive] = useState<Address>({ row: 0, column: 0 });
  const isOfInputs = parts === 'formulas';
  const [, setRound] = useState(0);
  const loaded = useLoaded(
    (signal) => loadComparedSheet(service, { ...ends, sheet }, signal),
    [book, from, to, sheet, merge?.digest],
  );
  useEffect(() => {
    if (!loaded.value || !host.current) return undefined;
    const made = new ComparedSource(service, loaded.value, () => {
      grid.current?.draw();
      setRound((count) => count + 1);
    });
    made.showInputs(isOfInputs);
    const events = {
      onSelect: ({ active: at }: { readonly active: Address }) => setActive(at),
      onEdit: () => {},
      inputOf: ({ row, column }: Address) => made.cellAt(row, column)?.text ?? '',
      lockedBecause: () => 'Two positions are compared here: open the sheet to write.',
    };
    grid.current = new Grid(host.current, { source: made, shape: made.shape, events });
    setSource(made);
    return () => {
      made.close();
      grid.current?.close();
      grid.current = undefined;
    };
  }, [loaded.value]);
  useEffect(() => {
    const place = source && shown && placeOf(source, shown);
    if (place) grid.current?.select(selectionOf(place.row, place.column));
  }, [source, shown]);
  useEffect(() => source?.showInputs(isOfInputs), [isOfInputs]);
  const fault = loaded.error ?? source?.fault;
  return (
    <section class="compared-cells" aria-label="Both positions in one grid">
      <p class="actions">
        <span class="quiet">
          Numbers of lines on the left are those of {from}, on the right those of{' '}
          {merge ? 'the merge' : to}.
        </span>
      </p>
      {fault && (
        <Fault error={fault} again={loaded.error ? loaded.again : () => source?.tryAgain()} />
      )}
      <div class="grid" ref={host} />
      {source && <Told {...{ source, active, entries, ends, sheet, parts }} />}
    </section>
  );
}

function placeOf(source: ComparedSource, { place, isThere }: DiffEntry): Address | undefined {
  const [range] = areasOf(place);
  if (!range) return undefined;
  const first = { row: range.row0, column: range.column0 };
  return source.placeOf(isThere ? 'to' : 'from', first);
}

interface ToldParts extends Pick<GridParts, 'ends' | 'sheet' | 'entries' | 'parts'> {
  readonly source: ComparedSource;
  readonly active: Address;
}

/** The active cell before and after, its writer, and a link to it. */
function Told({ source, active, entries, ends, sheet, parts }: ToldParts) {
  const { book, to, merge } = ends;
  const name = nameOfCompared(sheet);
  const told = useMemo(() => new EntryPlaces(entries, name), [entries, name]);
  const from = source.addressAt('from', active.row, active.column);
  const now = source.addressAt('to', active.row, active.column);
  const entry = told.entryOf({ from, to: now });
  const [before, after] = [from, now].map((at) => at && cellName(at.row, at.column));
  const places = before === after ? [after] : [before, after];
  return (
    <p class="told" role="status">
      <strong>{places.map((place) => place ?? 'nowhere').join(' → ')}</strong>{' '}
      {entry ? (
        <Entry entry={entry} parts={parts} />
      ) : (
        <span class="quiet">nothing differs in it</span>
      )}{' '}
      {!merge && sheet.to !== undefined && after !== undefined && (
        <ScreenLink to={{ name: 'sheet', book, at: parsePosition(to), sheet: name, cell: after }}>
          Open the sheet here
        </ScreenLink>
      )}
    </p>
  );
}

interface EntryParts extends Pick<GridParts, 'parts'> {
  readonly entry: DiffEntry;
}

function Entry({ entry: { before, after, told, by }, parts }: EntryParts) {
  const words = [told, by === undefined ? '' : `by ${by}`].filter(Boolean).join(' ');
  return (
    <>
      {(before ?? after) !== undefined && (
        <>
          <Side side={before} parts={parts} /> → <Side side={after} parts={parts} />
        </>
      )}
      {words !== '' && <span class="quiet"> {words}</span>}
    </>
  );
}
