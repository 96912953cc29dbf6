import type { MessagePort } from 'node:worker_threads';

import {
  noRowsMessage,
  rowsOptions,
  type RawRows,
  type RowsOptions,
  type RowsPart,
} from '../../server/model/row-writes.ts';
import { faultsOf } from '../../server/model/schema/compile.ts';
import { bodyFailure } from '../../server/model/schema/refusal.ts';
import { openBody, type BodySource, type Span } from './body-source.ts';
import { ByteFeed } from './byte-feed.ts';
import { csvParts, keyParts } from './csv-rows.ts';
import { longTexts, wholeText } from './csv-texts.ts';
import { lineParts } from './line-windows.ts';
import { LongJson } from './long-json.ts';
import type { LongBody } from './long-body.ts';
import { LongMsgpack } from './long-msgpack.ts';
import { postMessages, type LastMessage, type CreditedPort } from './post-messages.ts';
import { RowParts, type ListName } from './row-parts.ts';

export interface ReadRowsTask extends CreditedPort, Omit<RawRows, 'signal' | 'bytes'> {
  /** Port with the bytes, and a counter of its messages. */
  readonly feed: MessagePort;
  readonly posted: SharedArrayBuffer;
}

export type RowsMessage =
  | { readonly kind: 'head'; readonly options: RowsOptions }
  | { readonly kind: 'part'; readonly part: RowsPart }
  | LastMessage;

/** Reads the rows of a body and posts them part by part. Throws only for a bug. */
export function readRows(task: ReadRowsTask): void {
  try {
    postMessages(task, messagesOf(task));
  } finally {
    task.feed.close();
  }
}

function* messagesOf(task: ReadRowsTask): Generator<RowsMessage, void> {
  const { format, isLong } = task;
  const feed = new ByteFeed(task.feed, task.posted);
  const list = task.hasKeys ? 'keys' : 'rows';
  if (format === 'csv') {
    yield noOptions;
    const parts = csvParts(isLong ? longTexts(feed) : wholeText(feed), task);
    yield* partMessages(task.hasKeys ? keyParts(parts, task.keyColumn ?? '') : parts);
  } else if (format === 'ndjson') {
    yield noOptions;
    yield* partMessages(lineParts(feed, list));
  } else if (isLong) {
    const open = (): LongBody => (format === 'json' ? new LongJson(feed) : new LongMsgpack(feed));
    yield* longMessages(open, () => feed.again(), list);
  } else yield* wholeMessages(openBody(wholeBytes(feed), format, 'cells'), list);
}

const noOptions: RowsMessage = { kind: 'head', options: {} };

function wholeBytes(feed: ByteFeed): Buffer {
  return Buffer.concat([...feed.blocks()]);
}

function* partMessages(parts: Iterable<RowsPart>): Generator<RowsMessage, void> {
  for (const part of parts) yield { kind: 'part', part };
}

function* wholeMessages(source: BodySource, list: ListName): Generator<RowsMessage, void> {
  const isList = source.typeOf(source.whole) === 'list';
  const { options, spans } = isList
    ? { options: {}, spans: [[list, source.whole] as const] }
    : readHead(source);
  yield { kind: 'head', options };
  for (const [name, span] of spans) {
    const parts = new RowParts(name);
    yield* partMessages(parts.add(source, span));
    yield* partMessages(parts.finish());
  }
}

function readHead(source: BodySource) {
  const head: Record<string, unknown> = {};
  const spans: (readonly [ListName, Span])[] = [];
  if (source.typeOf(source.whole) === 'object') {
    for (const { name, ...span } of source.members(source.whole)) {
      if (isListName(name) && source.typeOf(span) === 'list') spans.push([name, span]);
      else head[name] = source.value(span);
    }
  }
  return { options: checkedHead(head, spans.length), spans };
}

function isListName(name: string): name is ListName {
  return name === 'rows' || name === 'keys';
}

function checkedHead(head: Readonly<Record<string, unknown>>, listCount: number): RowsOptions {
  const walk = faultsOf(rowsOptions, head);
  if (listCount === 0 && walk.faults.length === 0) walk.add('required', noRowsMessage, []);
  if (walk.faults.length > 0) throw bodyFailure(walk);
  return rowsOptions.parse(head);
}

/** Reads a long body. Options may come after the rows, so all of it is searched for them first. */
function* longMessages(
  open: () => LongBody,
  again: () => void,
  list: ListName,
): Generator<RowsMessage, void> {
  yield { kind: 'head', options: longHead(open()) };
  again();
  for (const part of open().parts()) {
    const name = part.name ?? list;
    if (part.kind !== 'list' || !isListName(name)) {
      part.skip();
      continue;
    }
    const rows = new RowParts(name);
    for (const window of part.windows()) yield* partMessages(rows.add(window, window.whole));
    yield* partMessages(rows.finish());
  }
}

function longHead(body: LongBody): RowsOptions {
  const head: Record<string, unknown> = {};
  let listCount = 0;
  let isBare = false;
  for (const part of body.parts()) {
    const { name } = part;
    if (name === undefined) isBare = true;
    const isRows = part.kind === 'list' && (name === undefined || isListName(name));
    if (isRows) part.skip();
    else if (name !== undefined) head[name] = part.value();
    listCount += Number(isRows);
  }
  return isBare ? {} : checkedHead(head, listCount);
}
