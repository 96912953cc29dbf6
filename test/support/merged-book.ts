import t from 'tap';

import { Formulas } from '../../workers/formulas.ts';
import { Book } from './book.ts';
import { MovingClock } from './moving-clock.ts';
import { oncePerFile } from './once-per-file.ts';
import { TestService, type TestAnswer } from './test-service.ts';

export interface Merge {
  readonly id: string;
  readonly state: string;
  readonly revision: number;
  readonly digest: string;
  readonly stateHash: string;
  readonly result: { seq: number; stateHash: string } | null;
}

export interface Conflict {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
}

/** The time of the service. */
export const clock = new MovingClock();
/** One service for all tests of a file. */
const findService = oncePerFile(() =>
  TestService.start(t, {}, { formulas: new Formulas(), environment: clock.environment }),
);

export async function makeBook(): Promise<Book> {
  const book = await Book.create(await findService());
  await write(book, 'main', ['A1', 11], ['B1', 12], ['A2', 21], ['B2', 22], ['A3', 31], ['B3', 32]);
  return book;
}

export async function fork(book: Book, name: string, from = 'main'): Promise<void> {
  const answer = await book.ask('/branches', { body: { name, from } });
  if (answer.status !== 201) throw new Error(answer.text);
}

export async function run(
  book: Book,
  branch: string,
  kind: string,
  payload: object,
): Promise<number> {
  const body = { ops: [{ kind, payload }], writer: 'w' };
  const answer = await book.ask(`/branches/${branch}/ops`, { body });
  const { status, head } = answer.json as { status: string; head: number };
  if (status !== 'applied') throw new Error(answer.text);
  return head;
}

export async function write(book: Book, branch: string, ...cells: [a1: string, input: unknown][]) {
  const listed = cells.map(([a1, input]) => ({ a1, input }));
  return run(book, branch, 'cells.set', { sheet: 'Sheet1', cells: listed });
}

export async function propose(book: Book, body: object): Promise<Merge> {
  const answer = await book.ask('/merges', { body });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.json as Merge;
}

export async function conflictsOf(book: Book, id: string, query = ''): Promise<Conflict[]> {
  const answer = await book.ask(`/merges/${id}/conflicts${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return (answer.json as { conflicts: Conflict[] }).conflicts;
}

export function approve(book: Book, id: string, body: object = {}): Promise<TestAnswer> {
  return book.ask(`/merges/${id}/approve`, { body });
}

export async function values(book: Book, range: string, ref = 'main'): Promise<unknown> {
  const answer = await book.ask(`/slice?ref=${encodeURIComponent(ref)}&range=${range}`);
  return (answer.json as { rows: unknown }).rows;
}

export async function hashOf(book: Book, branch: string): Promise<string> {
  const answer = await book.ask(`/branches/${branch}/state`);
  return (answer.json as { stateHash: string }).stateHash;
}
