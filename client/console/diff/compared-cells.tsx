import { useEffect, useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { ComparedGrid, type GridParts } from './compared-grid.tsx';
import { loadComparedNames, type ComparedName } from './compared-sheets.ts';

/** The cells of a sheet at both positions; that of the entry to be seen, or another one by choice. */
export function ComparedCells(parts: Omit<GridParts, 'sheet'>) {
  const { service } = useShell();
  const { book, from, to, entries, shown } = parts;
  const compared = useLoaded(
    () => loadComparedNames(service, { book, from, to }),
    [book, from, to],
  );
  const names = compared.value ?? [];
  const nameOf = (one: ComparedName) => one.to ?? one.from ?? '';
  const differing = new Set(entries.map(({ sheet }) => sheet));
  const [chosen, choose] = useState<string>();
  useEffect(() => {
    if (shown?.sheet !== undefined) choose(shown.sheet);
  }, [shown]);
  const sheet =
    names.find((one) => nameOf(one) === chosen) ??
    names.find((one) => differing.has(nameOf(one))) ??
    names[0];
  if (compared.error) return <Fault error={compared.error} again={compared.again} />;
  if (!sheet) return null;
  return (
    <div class="compared-side">
      <label class="actions">
        Sheet
        <select value={nameOf(sheet)} onChange={(event) => choose(event.currentTarget.value)}>
          {names.map((one) => (
            <option key={nameOf(one)} value={nameOf(one)}>
              {nameOf(one)}
              {differing.has(nameOf(one)) ? '' : ' (nothing differs)'}
            </option>
          ))}
        </select>
      </label>
      <ComparedGrid {...parts} sheet={sheet} />
    </div>
  );
}
