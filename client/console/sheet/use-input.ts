import { useEffect, useState } from 'preact/hooks';

import { cellName } from '../../../server/model/address.ts';
import type { Selection } from '../grid/selection.ts';
import type { SheetSession } from './sheet-session.ts';

interface InputParts {
  readonly session: SheetSession;
  readonly selection: Selection;
  /** Inputs of cells as far as they are known, by address. */
  readonly inputs: { readonly current: Map<string, string> };
  readonly setError: (error: Error) => void;
}

/** The input of a cell; a text of another cell is never that of this one. */
interface KnownInput {
  readonly text: string;
  readonly isKnown: boolean;
}

/** A selection that moves faster asks for no input. */
const stillMs = 60;

/** Returns the input of the active cell, which is asked for once the selection stands still. */
export function useInput({
  session,
  selection: { active },
  inputs,
  setError,
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
          return setInput({ of, text });
        })
        .catch(setError);
    }, stillMs);
    return () => clearTimeout(timer);
  }, [of, session.head, session.source.ref, session.waitingCount]);
  if (input.of === of) return { text: input.text, isKnown: true };
  return { text: '', isKnown: session.cellAt(active.row, active.column)?.kind === 'blank' };
}
