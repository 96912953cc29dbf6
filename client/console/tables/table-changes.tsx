import { useEffect, useState } from 'preact/hooks';

import { parsePosition, positionText } from '../address.ts';
import { ChangeHead } from '../diff/change-head.tsx';
import { LoadMore } from '../diff/load-more.tsx';
import { Sign } from '../diff/sign.tsx';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { Waiting } from '../shell/waiting.tsx';
import { inputText } from '../sheet/input-text.ts';
import type { TableAddress } from './table-screen.tsx';
import type { RowChange } from './table.ts';

export interface ChangePage {
  readonly total: number;
  /** Address of the next page. */
  readonly next?: string | null;
  readonly changes: readonly RowChange[];
}

/** Changes of rows between two positions, by key. */
export function TableChanges({ screen, path }: { screen: TableAddress; path: string }) {
  const { go } = useShell();
  const to = positionText(screen.at);
  const { from = `${screen.at.branch}@0` } = screen;
  const [ends, setEnds] = useState({ from, to });
  const query = new URLSearchParams({ from, to, limit: '500' });
  const { pages, error, more } = usePages(`${path}/changes?${query}`);
  const compare = (event: Event) => {
    event.preventDefault();
    go({ ...screen, at: parsePosition(ends.to.trim()), from: ends.from.trim() });
  };
  const [first] = pages;
  const changes = pages.flatMap((page) => page.changes);
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
      {error && <Fault error={error} again={more} />}
      {!first && !error && <Waiting label="Comparing rows…" />}
      {first && (
        <p role="status">
          {first.total.toLocaleString()} {first.total === 1 ? 'row differs' : 'rows differ'}
        </p>
      )}
      {changes.length > 0 && <ChangeTable changes={changes} />}
      {first && changes.length < first.total && !error && (
        <LoadMore key={pages.length} onMore={more} />
      )}
    </>
  );
}

/** Loads pages of changes one after the other. */
function usePages(path: string) {
  const { service } = useShell();
  const [pages, setPages] = useState<readonly ChangePage[]>([]);
  const [error, setError] = useState<Error>();
  const [wanted, want] = useState<string | undefined>(path);
  useEffect(() => {
    if (wanted === undefined) return undefined;
    const abort = new AbortController();
    const { signal } = abort;
    const load = async () => {
      try {
        const page = await service.ask<ChangePage>(wanted, { signal });
        setPages((known) => [...known, page]);
        setError(undefined);
      } catch (fault) {
        if (!signal.aborted) setError(fault as Error);
      }
      if (!signal.aborted) want(undefined);
    };
    void load();
    return () => abort.abort();
  }, [wanted]);
  const more = () => want(pages.length === 0 ? path : (pages.at(-1)?.next ?? undefined));
  return { pages, error, more };
}

/** Rows that were added, removed or changed, with the old and new values of their columns. */
export function ChangeTable({ changes }: { changes: readonly RowChange[] }) {
  return (
    <div class="scrolling" role="group" aria-label="Changed rows" tabIndex={0}>
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
