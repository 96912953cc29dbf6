/** A screen of the console, as its address says it: every state worth showing can be linked to. */
export type Screen =
  | { readonly name: 'books' }
  | {
      readonly name: 'sheet';
      readonly book: string;
      readonly at: Position;
      readonly sheet?: string;
      readonly cell?: string;
    }
  | { readonly name: 'diff'; readonly book: string; readonly from: string; readonly to: string }
  | { readonly name: 'merges'; readonly book: string }
  | { readonly name: 'review'; readonly book: string; readonly merge: string }
  | {
      readonly name: 'proof';
      readonly book: string;
      readonly branch: string;
      /** The newest operation where none is named. */
      readonly seq?: number;
    }
  | { readonly name: 'lost' };

/** A branch, and a sequence of it for an older position. */
export interface Position {
  readonly branch: string;
  readonly seq?: number;
}

const root = '/console';

/** Reads `/console/{owner}/{name}/…` or `/console/wb_…/…`. */
export function parseScreen({ pathname, search }: Pick<Location, 'pathname' | 'search'>): Screen {
  const query = new URLSearchParams(search);
  const segments = pathname
    .slice(root.length)
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const [first, ...rest] = segments;
  if (first === undefined) return { name: 'books' };
  const isId = first.startsWith('wb_');
  const book = isId ? first : `${first}/${rest.shift() ?? ''}`;
  return screenOf(book, rest, query) ?? { name: 'lost' };
}

function screenOf(
  book: string,
  rest: readonly string[],
  query: URLSearchParams,
): Screen | undefined {
  const [kind, id] = rest;
  if (kind === undefined) {
    const sheet = query.get('sheet');
    const cell = query.get('cell');
    return {
      name: 'sheet',
      book,
      at: parsePosition(query.get('at') ?? 'main'),
      ...(sheet !== null && { sheet }),
      ...(cell !== null && { cell }),
    };
  }
  if (kind === 'diff')
    return { name: 'diff', book, from: query.get('from') ?? 'main', to: query.get('to') ?? 'main' };
  if (kind === 'proof') return { name: 'proof', book, ...parsePosition(query.get('at') ?? 'main') };
  if (kind !== 'merges') return undefined;
  return id === undefined ? { name: 'merges', book } : { name: 'review', book, merge: id };
}

/** Reads `main` or `main@118`. */
export function parsePosition(text: string): Position {
  const split = /^(.*)@(\d+)$/u.exec(text);
  return split ? { branch: split[1] ?? '', seq: Number(split[2]) } : { branch: text };
}

export function positionText({ branch, seq }: Position): string {
  return seq === undefined ? branch : `${branch}@${seq}`;
}

/** Returns the address of a screen. */
export function screenPath(screen: Screen): string {
  if (screen.name === 'books' || screen.name === 'lost') return root;
  const path = `${root}/${screen.book.split('/').map(encodeURIComponent).join('/')}`;
  switch (screen.name) {
    case 'sheet': {
      const { at, sheet, cell } = screen;
      return `${path}?${queryText({ at: positionText(at), sheet, cell })}`;
    }
    case 'diff':
      return `${path}/diff?${queryText({ from: screen.from, to: screen.to })}`;
    case 'proof':
      return `${path}/proof?${queryText({ at: positionText(screen) })}`;
    case 'merges':
      return `${path}/merges`;
    case 'review':
      return `${path}/merges/${encodeURIComponent(screen.merge)}`;
  }
}

function queryText(members: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined) query.set(name, value);
  }
  return query.toString();
}
