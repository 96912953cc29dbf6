import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { cellName, type Address } from '../../../server/model/address.ts';
import { Fault } from '../shell/fault.tsx';
import { replacedIn, type Found } from './search.ts';
import type { SheetSession } from './sheet-session.ts';
import { useFinder } from './use-finder.ts';

interface FindParts {
  readonly session: SheetSession;
  readonly isLocked: boolean;
  readonly onGo: (cell: Address) => void;
  readonly onClose: () => void;
}

const replacedMost = 10_000;

/** Bar that finds a text in the inputs of a sheet, walks the matches, and replaces them. */
export function FindBar({ session, isLocked, onGo, onClose }: FindParts) {
  const [text, setText] = useState('');
  const [by, setBy] = useState('');
  const finder = useFinder(session, onGo, text);
  const { cells, current, error, isLooking } = finder;
  const replace = (chosen: readonly Found[]) => {
    const written = chosen.map((cell) => ({
      a1: cellName(cell.row, cell.column),
      input: replacedIn(cell, text, by),
    }));
    session.apply('cells.set', { parse: true, cells: written });
    finder.drop(chosen);
  };
  const replaceAll = async () =>
    replace((await finder.findAll(replacedMost)).slice(0, replacedMost));
  const field = useRef<HTMLInputElement>(null);
  // Focus moves before the next key is pressed.
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
        finder.step(1);
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
      {button('Previous', cells.length === 0, () => finder.step(-1))}
      <label>
        Replace by
        <input
          value={by}
          readOnly={isLocked}
          onInput={(event) => setBy(event.currentTarget.value)}
        />
      </label>
      {button('Replace', isLocked || !one, () => one && replace([one]))}
      {button('Replace all', isLocked || !one || isLooking, () => void replaceAll())}
      <span role="status">{finder.told}</span>
      {isLooking && button('Stop', false, finder.stop)}
      {button('Close', false, onClose)}
      {error && <Fault error={error} />}
    </form>
  );
}
