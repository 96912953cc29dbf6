import { useState } from 'preact/hooks';

import { definedNameFault, foldName } from '../../../server/model/names.ts';
import { rangeOfSelection, type Selection } from '../grid/selection.ts';
import { Dialog } from '../shell/dialog.tsx';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { loadNames, nameable } from './names.ts';
import type { SheetSession } from './sheet-session.ts';

interface NamesParts {
  readonly session: SheetSession;
  readonly selection: Selection;
  readonly onClose: () => void;
}

/** Dialog that names the selected cells, and lists all names. */
export function NamesDialog({ session, selection, onClose }: NamesParts) {
  const { value, error } = useLoaded(() => loadNames(session), [session.head]);
  const names = value?.names ?? [];
  const define = (name: string, ref: string) => {
    session.hand({ kind: 'name.set', payload: { name, ref } });
    session.formulas.forgetWords();
    session.clipboard.tell(`“${name}” names ${ref}.`);
  };
  const remove = (name: string, scope: string | null) => {
    const payload = { name, ...(scope !== null && { scope }) };
    session.hand({ kind: 'name.delete', payload });
    session.formulas.forgetWords();
  };
  return (
    <Dialog label="Names" onClose={onClose}>
      {(close) => (
        <>
          <NameForm
            place={nameable(session, rangeOfSelection(selection))}
            known={names.flatMap(({ name, scope }) => (scope === null ? [name] : []))}
            onDefine={(name, ref) => {
              define(name, ref);
              close();
            }}
          />
          {error && <Fault error={error} />}
          {names.length > 0 && <h2>Names of this workbook</h2>}
          <ul class="plain values">
            {names.map(({ name, scope, formula }) => (
              <li key={`${scope} ${name}`}>
                <span>
                  {name} <code>{formula}</code>{' '}
                  {scope !== null && <span class="quiet">on {scope}</span>}
                </span>
                <button
                  type="button"
                  class="second"
                  aria-label={`Delete the name ${name}`}
                  onClick={() => remove(name, scope)}
                >
                  Delete
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}

interface FormParts {
  readonly place: string;
  readonly known: readonly string[];
  readonly onDefine: (name: string, ref: string) => void;
}

function NameForm({ place, known, onDefine }: FormParts) {
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  const fault = name === '' ? undefined : definedNameFault(name);
  const isKnown = known.some((one) => foldName(one) === foldName(name));
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        if (name !== '' && fault === undefined) onDefine(name, place);
      }}
    >
      <label>
        Name for {place}
        <input autoFocus value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
      </label>
      {fault !== undefined && <p role="alert">{`It cannot be called so: ${fault}.`}</p>}
      {isKnown && <p role="status">There is such a name: it will mean these cells instead.</p>}
      <button type="submit" class="main" disabled={name === '' || fault !== undefined}>
        {isKnown ? 'Define it anew' : 'Define the name'}
      </button>
    </form>
  );
}
