import { useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { saveFile } from '../shell/save-file.ts';
import { diffPath, type ComparedEnds } from './compared-sheets.ts';

/** Formats of a diff as a file, with their file endings. */
const forms = [
  ['csv', 'CSV', 'csv'],
  ['daff', 'daff', 'daff.csv'],
  ['patch', 'Patch', 'patch'],
] as const;

/** Saves the differences as a file: a list, a marked table, or operations to submit. */
export function Downloads({ ends }: { readonly ends: ComparedEnds }) {
  const { service } = useShell();
  const [error, setError] = useState<Error>();
  const save = (format: string, suffix: string) => {
    setError(undefined);
    const name = `${ends.from} to ${ends.to}.${suffix}`.replaceAll(/[^\w.@ -]/gu, '_');
    service
      .askFile(diffPath(ends, { format }))
      .then(({ blob }) => saveFile(blob, name))
      .catch(setError);
  };
  return (
    <>
      <span class="quiet">Save as</span>
      {forms.map(([format, label, suffix]) => (
        <button key={format} type="button" class="second" onClick={() => save(format, suffix)}>
          {label}
        </button>
      ))}
      {error && <Fault error={error} />}
    </>
  );
}
