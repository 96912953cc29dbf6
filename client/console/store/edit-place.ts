import type { News } from './overlay.ts';

/** The branch that edits are made on, and the name of the page that makes them. */
export interface EditPlace {
  readonly workbookId: string;
  readonly branch: string;
  readonly writer: string;
}

export interface EditEvents {
  readonly onNews: (news: readonly News[], head: number) => void;
  /** Called when operations are missing, so that everything has to be loaded again. */
  readonly onGap: (head: number, reason: string) => void;
  readonly onChange: () => void;
}
