import { useEffect, useMemo, useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { useLoaded } from '../shell/loaded.ts';
import type { DiffPage } from './diff-page.ts';

export interface LoadedDiff {
  readonly pages: readonly DiffPage[];
  readonly hasMore: boolean;
  /** Loads the next page, or the one that failed; does nothing while a page is loading. */
  readonly more: () => void;
  readonly error: Error | undefined;
  /** True while the service computes the values of a position. */
  readonly isComputing: boolean;
}

/** Loads the pages of a diff one at a time, and from the start when its version changes. */
export function useDiff(path: string | undefined, version?: unknown): LoadedDiff {
  const { service } = useShell();
  const [isComputing, setComputing] = useState(false);
  const first = useLoaded(
    async (signal) => {
      if (path === undefined) return undefined;
      const onComputing = () => setComputing(true);
      return service.ask<DiffPage>(path, { signal, onComputing });
    },
    [path, version],
  );
  const [later, setLater] = useState<readonly DiffPage[]>([]);
  const [wanted, want] = useState<string>();
  const [fault, setFault] = useState<Error>();
  useEffect(() => {
    setLater([]);
    setComputing(false);
    setFault(undefined);
    want(undefined);
  }, [first.value]);
  useEffect(() => {
    if (wanted === undefined) return undefined;
    const abort = new AbortController();
    const load = async () => {
      const page = await service.ask<DiffPage>(wanted, { signal: abort.signal });
      setLater((known) => [...known, page]);
    };
    load()
      .catch((error: Error) => {
        if (!abort.signal.aborted) setFault(error);
      })
      .finally(() => {
        if (!abort.signal.aborted) want(undefined);
      });
    return () => abort.abort();
  }, [wanted]);
  const pages = useMemo(() => (first.value ? [first.value, ...later] : []), [first.value, later]);
  const next = pages.at(-1)?.next ?? undefined;
  const more = () => {
    setFault(undefined);
    if (first.value === undefined) first.again();
    else want(next);
  };
  return { pages, hasMore: next !== undefined, more, error: fault ?? first.error, isComputing };
}
