import { useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import type { Service } from '../service.ts';
import { tryOnBranch } from '../trial-branch.ts';
import { ChangeTable, type ChangePage } from './table-changes.tsx';
import type { TableAddress } from './table-screen.tsx';
import type { RejectedRow, TableView, Written } from './table.ts';

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

/**
 * Tries a file of rows on a temporary branch, so that the preview is what the service makes of the
 * file.
 */
function preview(
  service: Service,
  { screen, table, file, mode }: ImportParts & { readonly file: File; readonly mode: Mode },
): Promise<Preview> {
  const { book, at } = screen;
  return tryOnBranch(service, { book, from: at.branch }, async (branch) => {
    const written = await send(service, { book, branch, table, file, mode });
    const query = new URLSearchParams({ from: at.branch, to: branch, limit: '500' });
    const path = `/v1/workbooks/${book}/tables/${table.id}/changes?${query}`;
    return { file, mode, written, page: await service.ask<ChangePage>(path) };
  });
}

interface Sending {
  readonly book: string;
  readonly branch: string;
  readonly table: TableView;
  readonly file: File;
  readonly mode: string;
}

function send(service: Service, { book, branch, table, file, mode }: Sending): Promise<Written> {
  const query = new URLSearchParams({ mode, onInvalid: 'skip' });
  const path = `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/tables/${table.id}`;
  const isLines = /\.(?:nd)?jsonl?$/u.test(file.name);
  const type = isLines ? 'application/x-ndjson' : 'text/csv';
  return service.ask<Written>(`${path}/rows?${query}`, { file: new Blob([file], { type }) });
}

/** Takes a file of rows, shows the changes, and writes them after a confirmation. */
export function ImportRows({ screen, table }: ImportParts) {
  const { service, go } = useShell();
  const [mode, setMode] = useState<Mode>('upsert');
  const [shown, setShown] = useState<Preview>();
  const [busy, setBusy] = useState('');
  const [error, setError] = useState<Error>();
  const run = (text: string, work: () => Promise<void>) => {
    setBusy(text);
    setError(undefined);
    work()
      .catch(setError)
      .finally(() => setBusy(''));
  };
  const look = (file: File | undefined) => {
    if (!file) return;
    setShown(undefined);
    run(`Trying ${file.name}…`, async () =>
      setShown(await preview(service, { screen, table, file, mode })),
    );
  };
  const write = ({ file, mode: how }: Preview) =>
    run('Writing…', async () => {
      const { book, at } = screen;
      await send(service, { book, branch: at.branch, table, file, mode: how });
      go({ name: 'table', book, table: table.id, at });
    });
  if (screen.at.seq !== undefined) return <p>An older position takes no rows.</p>;
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
      <p role="status">{busy}</p>
      {error && <Fault error={error} />}
      {shown && <Shown shown={shown} onWrite={() => write(shown)} isBusy={busy !== ''} />}
    </>
  );
}

interface ShownParts {
  readonly shown: Preview;
  readonly isBusy: boolean;
  readonly onWrite: () => void;
}

function Shown({ shown: { file, written, page }, isBusy, onWrite }: ShownParts) {
  const { inserted, updated, unchanged, deleted, rejected } = written;
  const count = inserted + updated + deleted;
  return (
    <section aria-labelledby="preview">
      <h2 id="preview">What {file.name} would do</h2>
      <ul class="counts" aria-label="Rows">
        {Object.entries({ new: inserted, changed: updated, unchanged, deleted }).map(
          ([name, rows]) => (
            <li key={name}>
              <strong>{rows.toLocaleString()}</strong> {name}
            </li>
          ),
        )}
        <li>
          <strong>{rejected.length}</strong> refused
        </li>
      </ul>
      {rejected.length > 0 && <Refused rows={rejected} />}
      {page.changes.length > 0 && <ChangeTable changes={page.changes} />}
      <p>
        <button type="button" class="main" disabled={isBusy || count === 0} onClick={onWrite}>
          Write {count.toLocaleString()} {count === 1 ? 'row' : 'rows'}
        </button>
      </p>
    </section>
  );
}

function Refused({ rows }: { rows: readonly RejectedRow[] }) {
  return (
    <ul class="list" aria-label="Refused rows">
      {rows.slice(0, 100).map(({ row, column, code, message }) => (
        <li key={row}>
          Row {row + 1}
          {column !== undefined && `, ${column}`}: {message} <code class="quiet">{code}</code>
        </li>
      ))}
    </ul>
  );
}
