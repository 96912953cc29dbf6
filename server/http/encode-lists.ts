import { batches, msgpackArrayHead, msgpackMapHead, packr, TextPieces } from './encode.ts';
import type { Encoded } from './encode.ts';
import type { Negotiated } from './negotiate.ts';
import type { ListsBody } from './route.ts';

/** Lists by name, such as the columns of a table, written list by list. */
export function encodeLists(body: ListsBody, { representation, type }: Negotiated): Encoded {
  if (representation === 'msgpack') return { pieces: msgpackLists(body), type };
  return { pieces: jsonLists(body), type: 'application/json' };
}

async function* jsonLists({ header, member, lists }: ListsBody): AsyncGenerator<Uint8Array> {
  const head = JSON.stringify(header).slice(0, -1);
  const text = new TextPieces(`${head}${head === '{' ? '' : ','}${JSON.stringify(member)}:{`);
  let isFirst = true;
  for (const [name, list] of lists) {
    text.add(`${isFirst ? '' : ','}${JSON.stringify(name)}:[`);
    isFirst = false;
    let separator = '';
    for await (const batch of batches(list)) {
      text.add(separator + JSON.stringify(batch).slice(1, -1));
      separator = ',';
      if (text.isLarge) yield text.take();
    }
    text.add(']');
  }
  text.add('}}');
  yield text.take();
}

async function* msgpackLists({ header, member, lists }: ListsBody): AsyncGenerator<Uint8Array> {
  const members = Object.entries(header).filter(([, value]) => value !== undefined);
  const head = members.flatMap(([name, value]) => [packr.pack(name), packr.pack(value)]);
  const own = [packr.pack(member), msgpackMapHead(lists.size)];
  yield Buffer.concat([msgpackMapHead(members.length + 1), ...head, ...own]);
  for (const [name, list] of lists) {
    yield Buffer.concat([packr.pack(name), msgpackArrayHead(list.length)]);
    for await (const batch of batches(list)) {
      yield Buffer.concat(batch.map((item) => packr.pack(item)));
    }
  }
}
