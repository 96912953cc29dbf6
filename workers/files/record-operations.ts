import type { Operation } from '../../server/model/operation.ts';
import type { JsonObject, JsonValue } from '../../server/model/plain-json.ts';
import type { FileRecord } from './file-record.ts';

/** Characters of one range argument; operations take up to 2,048. */
const rangeCharacters = 2_000;

/**
 * Yields the operations that make records on a sheet. Ids of threads are their numbers in the file.
 */
export function* recordOperations(
  sheet: string,
  records: readonly FileRecord[],
  counter: { threads: number },
): Generator<Operation> {
  yield* mergeOperations(sheet, records);
  for (const record of records) {
    if (record.type === 'thread') yield* threadOperations(sheet, record, ++counter.threads);
    else if (record.type !== 'cellmerge') yield operationOf(sheet, record);
  }
}

function* mergeOperations(sheet: string, records: readonly FileRecord[]): Generator<Operation> {
  let range = '';
  let count = 0;
  for (const { type, ranges } of records) {
    const name = type === 'cellmerge' ? ranges?.[0] : undefined;
    if (name === undefined) continue;
    // Few areas share an operation: if one cannot be merged, only its operation is refused.
    if (range.length + name.length > rangeCharacters || count === mergesTogether) {
      yield { kind: 'cellmerge.add', payload: { sheet, range } };
      [range, count] = ['', 0];
    }
    range += range === '' ? name : `,${name}`;
    count++;
  }
  if (range !== '') yield { kind: 'cellmerge.add', payload: { sheet, range } };
}

const mergesTogether = 100;

/** Makes the operation of a record, whose value was checked by its schema when it was read. */
function operationOf(sheet: string, { type, ranges, value }: FileRecord): Operation {
  const [range = ''] = ranges ?? [];
  switch (type) {
    case 'note':
      return made('note.set', { sheet, a1: range, ...value });
    case 'hyperlink':
      return made('hyperlink.set', { sheet, range, ...value });
    case 'filter':
      return made('filter.set', { sheet, range, ...value });
    case 'protection':
      return made('protect.set', { sheet, ...(ranges && { ranges: [...ranges] }), ...value });
    case 'image':
    case 'chart':
      return made(`${type}.set`, { sheet, anchor: range, ...value });
    default: {
      const { priority: _, ...rule } = value;
      return made(`${type}.set`, { sheet, ranges: [...(ranges ?? [])], ...rule });
    }
  }
}

function made(kind: string, payload: Readonly<Record<string, unknown>>): Operation {
  return { kind, payload } as Operation;
}

function* threadOperations(
  sheet: string,
  { ranges, value }: FileRecord,
  number: number,
): Generator<Operation> {
  const thread = `file-${number}`;
  const [a1 = ''] = ranges ?? [];
  const { comments, resolved } = value;
  for (const [index, comment] of objectsOf(comments).entries()) {
    const payload = { thread, comment: `${thread}-${index + 1}`, ...said(comment) };
    if (index === 0) yield made('comment.add', { ...payload, sheet, range: a1 });
    else yield made('comment.reply', payload);
  }
  if (resolved === true) yield { kind: 'comment.resolve', payload: { thread, resolved } };
}

function said({ text, author, at }: JsonObject) {
  return { text, ...(author !== undefined && { author }), ...(at !== undefined && { at }) };
}

export function objectsOf(value: JsonValue | undefined): JsonObject[] {
  if (!Array.isArray(value)) return [];
  return value.filter((member: JsonValue): member is JsonObject => {
    return typeof member === 'object' && member !== null && !Array.isArray(member);
  });
}
