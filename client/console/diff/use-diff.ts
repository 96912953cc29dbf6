import { useEffect, useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { useLoaded } from '../shell/loaded.ts';
import type { DiffPage } from './diff-page.ts';

interface Ends {
  readonly book: string;
  readonly from: string;
  readonly to: string;
}

export interface LoadedDiff {
  readonly pages: readonly DiffPage[];
  readonly hasMore: boolean;
  /** Loads the next page, or the first one again where it could not be loaded. */
  readonly more: () => void;
  readonly error: Error | undefined;
}

/** Loads what differs between two positions, page by page. */
export function useDiff({ book, from, to }: Ends): LoadedDiff {
  const { service } = useShell();
  const query = new URLSearchParams({ from, to, values: 'true' });
  const path = `/v1/workbooks/${book}/diff?${query}`;
  const first = useLoaded((signal) => service.ask<DiffPage>(path, { signal }), [path]);
  const [later, setLater] = useState<readonly DiffPage[]>([]);
  const [fault, setFault] = useState<Error>();
  useEffect(() => setLater([]), [first.value]);
  const pages = first.value ? [first.value, ...later] : [];
  const next = pages.at(-1)?.next ?? null;
  const load = async (address: string) => {
    const page = await service.ask<DiffPage>(address);
    setFault(undefined);
    setLater([...later, page]);
  };
  const more = () => {
    if (next === null) first.again();
    else load(next).catch(setFault);
  };
  return { pages, hasMore: next !== null, more, error: fault ?? first.error };
}
