import { useEffect, useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';

export interface Book {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly archived: boolean;
  readonly updatedAt: string;
  readonly head: number;
  readonly role?: 'owner' | 'editor' | 'reviewer' | 'viewer';
  readonly cells?: number;
  readonly viaAgent?: string;
}

interface BookPage {
  readonly total: number;
  readonly workbooks: readonly Book[];
}

const pageLimit = 500;

/** Loads all workbooks page by page, so that a search misses none; the first show at once. */
export function useBookList(isArchivedToo: boolean) {
  const { service } = useShell();
  const [books, setBooks] = useState<readonly Book[]>();
  const [error, setError] = useState<Error>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    const { signal, abort } = abortable();
    const load = async () => {
      const all: Book[] = [];
      for (;;) {
        const query = new URLSearchParams({ limit: `${pageLimit}`, offset: `${all.length}` });
        if (isArchivedToo) query.set('include', 'archived');
        const page = await service.ask<BookPage>(`/v1/workbooks?${query}`, { signal });
        all.push(...page.workbooks);
        setBooks([...all]);
        setError(undefined);
        if (page.workbooks.length === 0 || all.length >= page.total) return;
      }
    };
    load().catch((fault: unknown) => {
      if (!signal.aborted) setError(fault as Error);
    });
    return abort;
  }, [isArchivedToo, round]);
  return { books, error, again: () => setRound((count) => count + 1) };
}

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

/** Returns the workbooks whose name, owner or agent has a text. */
export function foundBooks(books: readonly Book[], text: string): readonly Book[] {
  const wanted = text.trim().toLocaleLowerCase();
  if (wanted === '') return books;
  return books.filter(({ name, namespace, viaAgent = '' }) =>
    `${namespace}/${name} ${viaAgent}`.toLocaleLowerCase().includes(wanted),
  );
}
