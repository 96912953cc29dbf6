import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Screen } from '../address.ts';
import { useShell } from '../shell/context.ts';
import { useModal } from '../shell/modal.ts';
import { useEvaluated } from './evaluated.ts';
import { entriesFor, loadFindable, loadMerges, type Entry, type Findable } from './entries.ts';

interface PaletteParts {
  readonly screen: Screen;
  readonly commands: readonly Entry[];
  readonly offered: readonly Entry[];
  readonly onClose: () => void;
}

/** Dialog that finds commands, sheets, branches, workbooks and cells while one types. */
export function Palette({ screen, commands, offered, onClose }: PaletteParts) {
  const { service, go } = useShell();
  const { close, attributes } = useModal(onClose);
  const [text, setText] = useState('');
  const [picked, setPicked] = useState(0);
  const [places, setPlaces] = useState<Omit<Findable, 'merges'>>();
  const [merges, setMerges] = useState<Findable['merges']>([]);
  useEffect(() => {
    void loadFindable(service, screen).then(setPlaces);
    void loadMerges(service, screen).then(setMerges);
  }, []);
  const found = useMemo(() => places && { ...places, merges }, [places, merges]);
  const entries = useMemo(
    () => entriesFor(text, { screen, commands, offered, found }),
    [text, commands, offered, found],
  );
  const value = useEvaluated({ service, screen, sheets: found?.sheets }, text);
  const take = (entry: Entry | undefined) => {
    if (!entry) return;
    // The dialog closes first, so that the target of a command can get the focus.
    close();
    if (entry.to) go(entry.to);
    entry.run?.();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Enter') take(entries[picked]);
    else if (event.key === 'ArrowDown') setPicked(Math.min(picked + 1, entries.length - 1));
    else if (event.key === 'ArrowUp') setPicked(Math.max(picked - 1, 0));
    else return;
    event.preventDefault();
  };
  const onInput = (event: InputEvent & { readonly currentTarget: HTMLInputElement }) => {
    setText(event.currentTarget.value);
    setPicked(0);
  };
  return (
    <dialog {...attributes} class="palette" aria-label="Commands and places">
      <input
        role="combobox"
        aria-label="Find a command or a place"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-autocomplete="list"
        {...(entries.length > 0 && { 'aria-activedescendant': `palette-${picked}` })}
        placeholder="Type a name, Plan!B7, > for commands, @ for positions, = for a formula"
        value={text}
        autoFocus
        onInput={onInput}
        onKeyDown={onKey}
      />
      <Found entries={entries} picked={picked} onTake={take} />
      {value !== undefined && (
        <p role="status" class="value">
          {value}
        </p>
      )}
      {entries.length === 0 && value === undefined && (
        <p class="quiet">
          {found ? 'Nothing of that name: try fewer letters.' : 'Looking for names…'}
        </p>
      )}
    </dialog>
  );
}

interface FoundParts {
  readonly entries: readonly Entry[];
  readonly picked: number;
  readonly onTake: (entry: Entry) => void;
}

function Found({ entries, picked, onTake }: FoundParts) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.children[picked]?.scrollIntoView({ block: 'nearest' }), [picked]);
  return (
    <ul ref={list} id="palette-list" role="listbox" aria-label="Found" class="list">
      {entries.map((entry, index) => (
        <li
          key={`${entry.kind} ${entry.label} ${index}`}
          id={`palette-${index}`}
          role="option"
          aria-selected={index === picked}
          onClick={() => onTake(entry)}
        >
          <span>{entry.label}</span>
          {entry.keys === undefined ? (
            <span class="quiet">{entry.kind}</span>
          ) : (
            <kbd>{entry.keys}</kbd>
          )}
        </li>
      ))}
    </ul>
  );
}
