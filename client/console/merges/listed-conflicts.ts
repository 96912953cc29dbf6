import { useEffect, useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { useLoaded } from '../shell/loaded.ts';
import type { Service } from '../service.ts';
import { fits, type Conflict, type ConflictFilter, type ConflictPage } from './review.ts';

/** Conflicts of a page, as the service takes its number at most. */
const pageMost = 1_000;
/** Conflicts that are looked through for the members of a filter. */
const lookedMost = 10_000;

/** Conflicts that fit a filter. */
export interface Listed {
  readonly conflicts: readonly Conflict[];
  /** How many fit. */
  readonly total: number;
  /** How many of these are open; undefined until it is known. */
  readonly open: number | undefined;
}

interface Wished {
  /** Address of the merge. */
  readonly path: string;
  readonly filter: ConflictFilter;
  /** Number of conflicts to list at most. */
  readonly limit: number;
}

/** Loads the conflicts that fit a filter, of which a page of all may have too few. */
export function useListed(wished: Wished, page: ConflictPage): Listed | undefined {
  const { service } = useShell();
  const { path, filter, limit } = wished;
  const filterText = JSON.stringify(filter);
  const isWhole = page.conflicts.length === page.total;
  const isKnown = isWhole || (filterText === '{}' && page.conflicts.length >= limit);
  const { value } = useLoaded(
    async (signal) => {
      if (isKnown) return undefined;
      return { filterText, listed: await loadListed(service, wished, signal) };
    },
    [path, filterText, limit, isKnown, page],
  );
  if (isWhole) {
    const conflicts = page.conflicts.filter((one) => fits(one, filter));
    return { conflicts, total: conflicts.length, open: countOpen(conflicts) };
  }
  if (isKnown) return { conflicts: page.conflicts, total: page.total, open: page.open };
  return value?.filterText === filterText ? value.listed : undefined;
}

function countOpen(conflicts: readonly Conflict[]): number {
  return conflicts.filter(({ status }) => status === 'open').length;
}

async function loadListed(
  service: Service,
  { path, filter, limit }: Wished,
  signal: AbortSignal,
): Promise<Listed> {
  const asked = (more: Readonly<Record<string, string>>) => {
    const query = new URLSearchParams({ ...filter, ...more });
    return service.ask<ConflictPage>(`${path}/conflicts?${query}`, { signal });
  };
  const { conflicts, total } = await asked({ limit: String(Math.min(limit, pageMost)) });
  if (conflicts.length < total) {
    const open = await asked({ status: 'open', limit: '1' });
    return { conflicts, total, open: open.total };
  }
  return { conflicts, total, open: countOpen(conflicts) };
}

/** Loads the conflicts of a merge with a choice, so that they can be chosen so again. */
export async function loadChosen(
  service: Service,
  { path, filter }: Pick<Wished, 'path' | 'filter'>,
): Promise<readonly Conflict[]> {
  const query = { ...filter, status: 'resolved' };
  const resolved = await loadPages(service, path, query);
  return resolved.filter(({ resolution }) => resolution !== null);
}

async function loadPages(
  service: Service,
  path: string,
  filter: Readonly<Record<string, string>>,
): Promise<readonly Conflict[]> {
  const found: Conflict[] = [];
  for (;;) {
    const part = { offset: String(found.length), limit: String(pageMost) };
    const query = new URLSearchParams({ ...filter, ...part });
    const page = await service.ask<ConflictPage>(`${path}/conflicts?${query}`);
    found.push(...page.conflicts);
    const isWhole = found.length >= page.total || page.conflicts.length === 0;
    if (isWhole || found.length >= lookedMost) return found;
  }
}

/** Returns conflicts whose members a filter can have: those of the page, and soon of all. */
export function useFilterable(path: string, page: ConflictPage): readonly Conflict[] {
  const { service } = useShell();
  const [all, setAll] = useState<readonly Conflict[]>();
  const hasMore = page.conflicts.length < page.total;
  useEffect(() => {
    if (!hasMore) return undefined;
    let isCurrent = true;
    const show = (found: readonly Conflict[]) => {
      if (isCurrent) setAll(found);
    };
    // Without them a filter has the members of the page.
    loadPages(service, path, {}).then(show, () => show([]));
    return () => {
      isCurrent = false;
    };
  }, [path, hasMore]);
  return all && all.length > page.conflicts.length ? all : page.conflicts;
}
