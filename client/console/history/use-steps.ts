import { useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { useLoaded } from '../shell/loaded.ts';
import type { Done } from './groups.ts';

interface Page {
  readonly head: number;
  readonly next: number | null;
  readonly ops: readonly Done[];
}

const pageLimit = 200;

interface StepsParts {
  readonly book: string;
  readonly branch: string;
  readonly head: number;
  /** Sheet of the wanted operations; undefined for all. */
  readonly touched: { readonly id: string } | undefined;
  /** Cell of the sheet that the operations wrote; undefined for all of the sheet. */
  readonly cell?: string;
}

/** Loads the operations of a branch page by page, and from the start for another branch. */
export function useSteps({ book, branch, head, touched, cell }: StepsParts) {
  const { service } = useShell();
  const of = [touched?.id, cell].filter(Boolean).join(' ');
  const [earlier, setEarlier] = useState<EarlierSteps>({ of, ops: [], rest: undefined });
  const [fault, setFault] = useState<Error>();
  const path = `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/ops`;
  const page = async (before: number, signal?: AbortSignal) => {
    const query = queryOf({ before, touched, cell });
    const found = await service.ask<Page>(`${path}?${query}`, signal ? { signal } : {});
    const { ops, next } = found;
    return { of, ops, next, newest: found.head, oldest: next ?? ops.at(-1)?.seq ?? 0 };
  };
  const first = useLoaded((signal) => page(Number.MAX_SAFE_INTEGER, signal), [path, head, of]);
  const latest = first.value?.of === of ? first.value : undefined;
  const known = earlier.of === of ? earlier : { of, ops: [], rest: undefined };
  const next = known.rest === undefined ? (latest?.next ?? null) : known.rest;
  const load = async (before: number) => {
    const { ops, next: rest } = await page(before);
    setFault(undefined);
    setEarlier({ of, ops: [...known.ops, ...ops], rest });
  };
  const more = () => {
    if (next === null) return first.again();
    load(next).catch(setFault);
  };
  const ops = joined(latest, known.ops);
  const isLoaded = latest !== undefined;
  const newest = latest?.newest ?? head;
  return { ops, newest, isLoaded, hasMore: next !== null, more, error: fault ?? first.error };
}

interface Latest {
  readonly ops: readonly Done[];
  readonly oldest: number;
}

/** Puts the newest page before those that were loaded earlier, which may overlap it. */
function joined(latest: Latest | undefined, earlier: readonly Done[]): readonly Done[] {
  const { ops = [], oldest = 0 } = latest ?? {};
  return [...ops, ...earlier.filter(({ seq }) => seq < oldest)];
}

/**
 * Operations before the newest page, and where the next page begins; those of another sheet do not
 * count.
 */
interface EarlierSteps {
  readonly of: string;
  readonly ops: readonly Done[];
  readonly rest: number | null | undefined;
}

interface PageQuery extends Pick<StepsParts, 'touched'> {
  readonly before: number;
  readonly cell: string | undefined;
}

function queryOf({ before, touched, cell }: PageQuery): URLSearchParams {
  return new URLSearchParams({
    before: `${before}`,
    payload: 'false',
    limit: `${pageLimit}`,
    ...(touched && { sheet: touched.id }),
    ...(cell !== undefined && { cell }),
  });
}
