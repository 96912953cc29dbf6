import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { cellName, type Address } from '../../../server/model/address.ts';
import { cellCount } from '../../../server/model/range.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { findCells, replacedIn, searchedMost, type Found } from './search.ts';
import type { SheetSession } from './sheet-session.ts';

interface FindParts {
  readonly session: SheetSession;
  readonly isLocked: boolean;
  readonly onGo: (cell: Address) => void;
  readonly onClose: () => void;
}

const replacedMost = 10_000;

/** Finds a text in the inputs of a sheet, goes from one to the next, and replaces it. */
export function FindBar({ session, isLocked, onGo, onClose }: FindParts) {
  const [text, setText] = useState('');
  const [by, setBy] = useState('');
  const { cells, current, error, told, step, replace } = useFind({ session, onGo }, text, by);
  const { shape } = session;
  const field = useRef<HTMLInputElement>(null);
  // The field has the focus before the next key comes.
  useLayoutEffect(() => field.current?.focus(), []);
  const one = cells[current];
  const button = (label: string, isOff: boolean, run: () => void) => (
    <button type="button" class="second" disabled={isOff} onClick={run}>
      {label}
    </button>
  );
  return (
    <form
      class="find-bar"
      role="search"
      aria-label="Find and replace"
      onSubmit={(event) => {
        event.preventDefault();
        step(1);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <label>
        Find
        <input ref={field} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <button type="submit" class="second">
        Next
      </button>
      {button('Previous', cells.length === 0, () => step(-1))}
      <label>
        Replace by
        <input
          value={by}
          readOnly={isLocked}
          onInput={(event) => setBy(event.currentTarget.value)}
        />
      </label>
      {button('Replace', isLocked || !one, () => one && replace([one]))}
      {button('Replace all', isLocked || !one, () => replace(cells.slice(0, replacedMost)))}
      <span role="status">{told}</span>
      {shape && cellCount(shape.used) > searchedMost && (
        <span class="quiet">
          The first {searchedMost.toLocaleString()} cells are looked through.
        </span>
      )}
      {button('Close', false, onClose)}
      {error && <Fault error={error} />}
    </form>
  );
}

function useFind({ session, onGo }: Pick<FindParts, 'session' | 'onGo'>, text: string, by: string) {
  const { service } = useShell();
  const [found, setFound] = useState<{ readonly of: string; readonly cells: readonly Found[] }>();
  const [current, setCurrent] = useState(0);
  const [error, setError] = useState<Error>();
  const show = (cells: readonly Found[]) => {
    setFound({ of: text, cells });
    setCurrent(0);
    if (cells[0]) onGo(cells[0]);
  };
  const look = () => {
    const used = session.shape?.used;
    setError(undefined);
    if (used && text !== '')
      findCells(service, session.source, { text, used }).then(show, setError);
  };
  const cells = found?.of === text ? found.cells : [];
  const step = (count: number) => {
    if (cells.length === 0) {
      look();
      return;
    }
    const next = (current + count + cells.length) % cells.length;
    setCurrent(next);
    const cell = cells[next];
    if (cell) onGo(cell);
  };
  const replace = (chosen: readonly Found[]) => {
    const written = chosen.map((cell) => ({
      a1: cellName(cell.row, cell.column),
      input: replacedIn(cell, text, by),
    }));
    session.apply('cells.set', { parse: true, cells: written });
    show(cells.filter((cell) => !chosen.includes(cell)));
  };
  return { cells, current, error, told: toldOf(found, { text, current }), step, replace };
}

function toldOf(
  found: { readonly of: string; readonly cells: readonly Found[] } | undefined,
  { text, current }: { readonly text: string; readonly current: number },
): string {
  if (!found || found.of !== text) return '';
  const { length } = found.cells;
  return length === 0 ? 'Nothing is found.' : `${current + 1} of ${length.toLocaleString()}`;
}
