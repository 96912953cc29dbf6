import { useState } from 'preact/hooks';

import { positionText } from '../address.ts';
import { ChangeHead } from '../diff/change-head.tsx';
import { Sign } from '../diff/sign.tsx';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { inputText } from '../sheet/input-text.ts';
import type { TableAddress } from './table-screen.tsx';
import type { RowChange } from './table.ts';

export interface ChangePage {
  readonly total: number;
  readonly changes: readonly RowChange[];
}

/** Changes of rows between two positions, by key. */
export function TableChanges({ screen, path }: { screen: TableAddress; path: string }) {
  const { service } = useShell();
  const to = positionText(screen.at);
  const [ends, setEnds] = useState({ from: `${screen.at.branch}@0`, to });
  const [asked, setAsked] = useState(ends);
  const query = new URLSearchParams({ ...asked, limit: '500' });
  const { value, error, again } = useLoaded(
    (signal) => service.ask<ChangePage>(`${path}/changes?${query}`, { signal }),
    [path, asked.from, asked.to],
  );
  const compare = (event: Event) => {
    event.preventDefault();
    setAsked(ends);
  };
  return (
    <>
      <form class="actions" onSubmit={compare}>
        {(['from', 'to'] as const).map((end) => (
          <label key={end}>
            {end === 'from' ? 'From' : 'To'}
            <input
              value={ends[end]}
              onInput={(event) => setEnds({ ...ends, [end]: event.currentTarget.value })}
            />
          </label>
        ))}
        <button type="submit" class="main">
          Compare
        </button>
      </form>
      {error && <Fault error={error} again={again} />}
      {value && (
        <p role="status">
          {value.total.toLocaleString()} rows differ
          {value.changes.length < value.total && `; the first ${value.changes.length} are shown`}
        </p>
      )}
      {value && value.changes.length > 0 && <ChangeTable changes={value.changes} />}
    </>
  );
}

/** Rows that were added, removed or changed, with the old and new values of their columns. */
export function ChangeTable({ changes }: { changes: readonly RowChange[] }) {
  return (
    <div class="scrolling">
      <table class="changes">
        <ChangeHead columns={['Key', 'What']} />
        <tbody>
          {changes.map(({ key, change, before, after, columns }) => (
            <tr key={`${typeof key} ${inputText(key)}`} class={change}>
              <td>
                <Sign change={change} />
              </td>
              <td>{inputText(key)}</td>
              <td>
                {columns.map((name) => (
                  <span key={name} class="change">
                    <span class="quiet">{name}</span>{' '}
                    {change === 'modified' && <del>{inputText(before?.[name]) || 'blank'}</del>}{' '}
                    {change === 'removed' ? (
                      <del>{inputText(before?.[name])}</del>
                    ) : (
                      <ins>{inputText(after?.[name]) || 'blank'}</ins>
                    )}
                  </span>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
