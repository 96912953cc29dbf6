import { useEffect, useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { ComparedGrid, type GridParts } from './compared-grid.tsx';
import { loadComparedOutlines, nameOfCompared } from './compared-sheets.ts';

/** Cells of a sheet at both positions; the sheet is that of the shown entry, or another choice. */
export function ComparedCells(parts: Omit<GridParts, 'sheet'>) {
  const { service } = useShell();
  const { ends, entries, shown } = parts;
  const { book, from, to, merge } = ends;
  const compared = useLoaded(
    () => loadComparedOutlines(service, ends),
    [book, from, to, merge?.digest],
  );
  const sheets = compared.value ?? [];
  const differing = new Set(entries.map(({ sheet }) => sheet));
  const [chosen, choose] = useState<string>();
  useEffect(() => {
    if (shown?.sheet !== undefined) choose(shown.sheet);
  }, [shown]);
  const sheet =
    sheets.find((one) => nameOfCompared(one) === chosen) ??
    sheets.find((one) => differing.has(nameOfCompared(one))) ??
    sheets[0];
  if (compared.error) return <Fault error={compared.error} again={compared.again} />;
  if (!sheet) return null;
  return (
    <div class="compared-side">
      <label class="actions">
        Sheet
        <select
          value={nameOfCompared(sheet)}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {sheets.map((one) => (
            <option key={nameOfCompared(one)} value={nameOfCompared(one)}>
              {nameOfCompared(one)}
              {differing.has(nameOfCompared(one)) ? '' : ' (nothing differs)'}
            </option>
          ))}
        </select>
      </label>
      <ComparedGrid {...parts} sheet={sheet} />
    </div>
  );
}
