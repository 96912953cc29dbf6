import { useEffect, useState } from 'preact/hooks';

import { cellName } from '../../../server/model/address.ts';
import type { Grid } from '../grid/grid.ts';
import type { Selection } from '../grid/selection.ts';
import type { SheetSession } from './sheet-session.ts';

interface InputParts {
  readonly session: SheetSession;
  readonly selection: Selection;
  /** Known inputs of cells, by address. */
  readonly inputs: { readonly current: Map<string, string> };
  readonly setError: (error: Error) => void;
  /** Grid that tells of the active cell. */
  readonly grid: { readonly current: Grid | undefined };
}

/** Input with its address, so that it is never shown for another cell. */
interface KnownInput {
  readonly text: string;
  readonly isKnown: boolean;
}

/** Time for which a selection has to stand still before its input is loaded. */
const stillMs = 60;

/** Returns the input of the active cell, loaded once the selection stands still. */
export function useInput({
  session,
  selection: { active },
  inputs,
  setError,
  grid,
}: InputParts): KnownInput {
  const [input, setInput] = useState({ of: '', text: '' });
  const cell = cellName(active.row, active.column);
  const of = `${session.sheet?.id} ${cell}`;
  useEffect(() => {
    session.showPlace(cell);
    inputs.current.clear();
    const timer = setTimeout(() => {
      session
        .inputAt(active)
        .then((text) => {
          inputs.current.set(cell, text);
          grid.current?.draw();
          return setInput({ of, text });
        })
        .catch(setError);
    }, stillMs);
    return () => clearTimeout(timer);
  }, [of, session.head, session.source.ref, session.waitingCount, session.edits.state]);
  if (input.of === of) return { text: input.text, isKnown: true };
  return { text: '', isKnown: session.cellAt(active.row, active.column)?.kind === 'blank' };
}
