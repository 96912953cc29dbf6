import type { RawOptions, Transport } from './call.ts';

type Page = Readonly<Record<string, unknown>>;
type Place = Readonly<Record<string, string | number>> | string;

/** Finds where the next page begins; undefined after the last one. */
type Next = (page: Page, count: number) => Place | undefined;

const byOffset: Next = (page, count) => {
  const end = Number(page['offset']) + count;
  return count > 0 && end < Number(page['total']) ? { offset: end } : undefined;
};
const byLink: Next = ({ next }) => (typeof next === 'string' ? next : undefined);
const byCursor: Next = ({ next }) => (typeof next === 'string' ? { cursor: next } : undefined);
const byAfter: Next = ({ next }) => (typeof next === 'number' ? { after: next } : undefined);
const byBefore: Next = ({ next }) => (typeof next === 'number' ? { before: next } : undefined);
/** Rows have a link to the next page, groups of rows have none. */
const byLinkOrOffset: Next = (page, count) => {
  return 'next' in page ? byLink(page, count) : byOffset(page, count);
};
const whole: Next = () => undefined;

/** Path, members with items and paging of each list. */
const lists = {
  workbooks: { path: '/v1/workbooks', members: ['workbooks'], next: byOffset },
  branches: { path: '/v1/workbooks/{id}/branches', members: ['branches'], next: whole },
  commits: { path: '/v1/workbooks/{id}/commits', members: ['commits'], next: byOffset },
  merges: { path: '/v1/workbooks/{id}/merges', members: ['merges'], next: byOffset },
  conflicts: {
    path: '/v1/workbooks/{id}/merges/{mid}/conflicts',
    members: ['conflicts'],
    next: byOffset,
  },
  ops: { path: '/v1/workbooks/{id}/branches/{branch}/ops', members: ['ops'], next: byAfter },
  history: { path: '/v1/workbooks/{id}/branches/{branch}/ops', members: ['ops'], next: byBefore },
  records: { path: '/v1/workbooks/{id}/records', members: ['records'], next: byOffset },
  find: { path: '/v1/workbooks/{id}/find', members: ['cells'], next: byLink },
  blame: { path: '/v1/workbooks/{id}/blame', members: ['cells', 'formats'], next: byCursor },
  diff: { path: '/v1/workbooks/{id}/diff', members: [], next: byLink },
  mergeDiff: { path: '/v1/workbooks/{id}/merges/{mid}/diff', members: [], next: byLink },
  matches: { path: '/v1/workbooks/{id}/matches', members: ['matches'], next: byOffset },
  matchRows: { path: '/v1/workbooks/{id}/matches/{mid}', members: ['rows'], next: byOffset },
  rows: {
    path: '/v1/workbooks/{id}/tables/{tid}/rows',
    members: ['rows', 'groups'],
    next: byLinkOrOffset,
  },
  tableChanges: {
    path: '/v1/workbooks/{id}/tables/{tid}/changes',
    members: ['changes'],
    next: byLink,
  },
} as const satisfies Record<string, { path: string; members: readonly string[]; next: Next }>;

type List = keyof typeof lists;

/** A list of the service: iterates over its items, and reads a page when it is needed. */
export class Pages<Item, P = Page> implements AsyncIterable<Item> {
  readonly #transport: Transport;
  readonly #list: (typeof lists)[List];
  readonly #options: RawOptions;

  constructor(transport: Transport, list: List, options: RawOptions) {
    this.#transport = transport;
    this.#list = lists[list];
    this.#options = options;
  }

  /** Reads one page as the service answers it: the first, or the one that `query` names. */
  async page(query?: RawOptions['query']): Promise<P> {
    const { query: own, ...options } = this.#options;
    const all = { ...options, query: { ...own, ...query } };
    return (await this.#transport.ask('GET', this.#list.path, all)) as P;
  }

  async all(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) items.push(item);
    return items;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* this.#items(page as Page);
  }

  /** Iterates over pages as the service answers them. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    let place: Place | undefined = {};
    while (place !== undefined) {
      const page: Page = await this.#at(place);
      yield page as P;
      place = this.#list.next(page, this.#items(page).length);
    }
  }

  async #at(place: Place): Promise<Page> {
    if (typeof place !== 'string') return (await this.page(place)) as Page;
    const { path: _, query: __, ...options } = this.#options;
    return (await this.#transport.ask('GET', place, options)) as Page;
  }

  #items(page: Page): Item[] {
    const { members } = this.#list;
    if (members.length > 0) return members.flatMap((name) => (page[name] ?? []) as Item[]);
    return Object.entries(page).flatMap(([list, items]) => {
      return Array.isArray(items) ? items.map((item) => ({ list, ...(item as Item) })) : [];
    });
  }
}
