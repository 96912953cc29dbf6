import { useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import type { Service } from '../service.ts';
import { tryOnBranch } from '../trial-branch.ts';
import { ImportPreview } from './import-preview.tsx';
import type { ChangePage } from './table-changes.tsx';
import type { TableAddress } from './table-screen.tsx';
import { sendRows, type Progress } from './send-rows.ts';
import type { TableView, Written } from './table.ts';

interface ImportParts {
  readonly screen: TableAddress;
  readonly table: TableView;
}

interface Preview {
  readonly file: File;
  readonly mode: string;
  readonly written: Written;
  readonly page: ChangePage;
}

type Mode = 'upsert' | 'import';

interface Chosen {
  readonly file: File;
  readonly mode: Mode;
}

/**
 * Tries a file of rows on a temporary branch, so that the preview is what the service makes of the
 * file.
 */
function preview(
  service: Service,
  { screen, table, file, mode, ...progress }: ImportParts & Progress & Chosen,
): Promise<Preview> {
  const { book, at } = screen;
  return tryOnBranch(service, { book, from: at.branch }, async (branch) => {
    const written = await sendRows(service, { book, branch, table, file, mode, ...progress });
    const query = new URLSearchParams({ from: at.branch, to: branch, limit: '500' });
    const path = `/v1/workbooks/${book}/tables/${table.id}/changes?${query}`;
    return { file, mode, written, page: await service.ask<ChangePage>(path) };
  });
}

/** Runs work that takes a while, tells how far it is, and can be cancelled. */
function useLongWork() {
  const [busy, setBusy] = useState('');
  const [error, setError] = useState<Error>();
  const [abort, setAbort] = useState<AbortController>();
  const run = (text: string, work: (progress: Progress) => Promise<void>) => {
    const made = new AbortController();
    setBusy(text);
    setError(undefined);
    setAbort(made);
    const onProgress = (told: string) => setBusy(`${text} ${told}`);
    work({ signal: made.signal, onProgress })
      .catch((fault: Error) => {
        if (!made.signal.aborted) setError(fault);
      })
      .finally(() => setBusy(''));
  };
  return { busy, error, run, cancel: () => abort?.abort() };
}

/** Takes a file of rows, shows the changes, and writes them after a confirmation. */
export function ImportRows({ screen, table }: ImportParts) {
  const { service, go } = useShell();
  const [mode, setMode] = useState<Mode>('upsert');
  const [shown, setShown] = useState<Preview>();
  const { busy, error, run, cancel } = useLongWork();
  const look = (file: File | undefined) => {
    if (!file) return;
    setShown(undefined);
    run(`Trying ${file.name}…`, async (progress) =>
      setShown(await preview(service, { screen, table, file, mode, ...progress })),
    );
  };
  const write = ({ file, mode: how }: Preview) =>
    run('Writing…', async (progress) => {
      const { book, at } = screen;
      await sendRows(service, { book, branch: at.branch, table, file, mode: how, ...progress });
      go({ name: 'table', book, table: table.id, at });
    });
  return (
    <>
      <fieldset class="actions">
        <legend>Rows that are not in the file</legend>
        {(['upsert', 'import'] as const).map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="mode"
              checked={mode === name}
              onChange={() => setMode(name)}
            />
            {name === 'upsert' ? 'stay' : 'go'}
          </label>
        ))}
      </fieldset>
      <p>
        <label>
          A .csv or .ndjson file, its first line names columns{' '}
          <input
            type="file"
            accept=".csv,.ndjson,.jsonl"
            onChange={(event) => look(event.currentTarget.files?.[0])}
          />
        </label>
      </p>
      <p class="actions">
        <span role="status">{busy}</span>
        {busy !== '' && (
          <button type="button" class="second" onClick={cancel}>
            Cancel
          </button>
        )}
      </p>
      {error && <Fault error={error} />}
      {shown && <ImportPreview {...shown} onWrite={() => write(shown)} isBusy={busy !== ''} />}
    </>
  );
}
