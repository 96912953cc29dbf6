import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { cellName, type Address } from '../../../server/model/address.ts';
import { Fault } from '../shell/fault.tsx';
import type { Op } from '../store/overlay.ts';
import { replacedIn, usualWays, type FindWays, type Found } from './search.ts';
import type { SheetSession } from './sheet-session.ts';
import { useFinder } from './use-finder.ts';

interface FindParts {
  readonly session: SheetSession;
  readonly isLocked: boolean;
  readonly onGo: (cell: Address) => void;
  readonly onClose: () => void;
}

const replacedMost = 10_000;

const labels: readonly (readonly [keyof FindWays, label: string])[] = [
  ['isCaseKept', 'Upper and lower case as typed'],
  ['isWhole', 'Whole cells'],
  ['isEverywhere', 'All sheets'],
  ['isOfValues', 'Values, not formulas'],
];

/** Bar that finds a text in the cells of a sheet or of all, walks the matches, and replaces them. */
export function FindBar({ session, isLocked: isReadOnly, onGo, onClose }: FindParts) {
  const [text, setText] = useState('');
  const [by, setBy] = useState('');
  const [ways, setWays] = useState(usualWays);
  const isLocked = isReadOnly || ways.isOfValues;
  const go = (cell: Found) => {
    if (cell.sheet === session.sheet?.name) onGo(cell);
    else void session.choose(cell.sheet).then(() => onGo(cell));
  };
  const finder = useFinder({ session, text, ways, onGo: go });
  const { cells, current, error, isLooking } = finder;
  const replace = (chosen: readonly Found[]) => {
    session.hand(...replacingOps(session, chosen, { text, by, isCaseKept: ways.isCaseKept }));
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
      <Ways ways={ways} onChange={setWays} />
      <span role="status">{finder.told}</span>
      {isLooking && button('Stop', false, finder.stop)}
      {button('Close', false, onClose)}
      {error && <Fault error={error} />}
    </form>
  );
}

interface WaysParts {
  readonly ways: FindWays;
  readonly onChange: (ways: FindWays) => void;
}

/** Choices of how and where a text is looked for. */
function Ways({ ways, onChange }: WaysParts) {
  return (
    <>
      {labels.map(([way, label]) => (
        <label key={way}>
          <input
            type="checkbox"
            checked={ways[way]}
            onChange={(event) => onChange({ ...ways, [way]: event.currentTarget.checked })}
          />
          {label}
        </label>
      ))}
    </>
  );
}

/** Returns the operations that replace a text in cells: one for each sheet. */
function replacingOps(
  session: SheetSession,
  chosen: readonly Found[],
  replacing: Parameters<typeof replacedIn>[1],
): readonly Op[] {
  return session.sheets.flatMap(({ id, name }) => {
    const cells = chosen
      .filter(({ sheet }) => sheet === name)
      .map((cell) => ({
        a1: cellName(cell.row, cell.column),
        input: replacedIn(cell, replacing),
      }));
    const payload = { sheet: id, parse: true, cells };
    return cells.length === 0 ? [] : [{ kind: 'cells.set', payload }];
  });
}
