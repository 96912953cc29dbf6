import { hash as hashOnce } from 'node:crypto';

import type { Scale } from '../ids/scale.ts';
import { NodeFault, NodeReader, NodeWriter } from './bytes.ts';

/** First byte of a node by its kind, so that two kinds never have the same bytes. */
export const nodeKind = {
  root: 1,
  sheet: 2,
  list: 3,
  chunk: 4,
  formerBlock: 5,
  spans: 6,
  order: 7,
  structure: 8,
  block: 9,
} as const;
export type NodeKind = keyof typeof nodeKind;

/** Receives nodes that may not be stored yet. */
export interface NodeSink {
  /** Returns whether a node and all nodes below it are already stored. */
  has(hash: Buffer): boolean;
  put(kind: NodeKind, hash: Buffer, bytes: Buffer): void;
}

/** Reads stored nodes; throws a NodeFault for a node that is missing or damaged. */
export interface NodeSource {
  /** Returns whether the source has a node, without reading it. */
  has(hash: Buffer): boolean;
  get(hash: Buffer): Uint8Array;
  /**
   * Returns whether a block has array formulas, noted when it was stored; undefined if not noted.
   */
  hasArrays?(hash: Buffer): boolean | undefined;
  /** Adds the source to the memory accounting while something may be read from it. */
  weigh(scale: Scale): void;
}

/** Writers of finished nodes, whose memory is used again. */
const spareWriters: NodeWriter[] = [];
const spareMost = 4;
const spareBytesMost = 262_144;

/** Sink that stores nothing, for hashing alone. */
export const noSink: NodeSink = { has: () => true, put: () => undefined };

export function sha256(bytes: Uint8Array): Buffer {
  // In one call, and as a string of bytes: an object of its own would take as long again.
  return Buffer.from(hashOnce('sha256', bytes, 'binary'), 'binary');
}

/** Finishes a node and returns the hash of its bytes; its writer must not be used after that. */
export function putNode(sink: NodeSink, kind: NodeKind, writer: NodeWriter): Buffer {
  const hash = sha256(writer.view);
  if (!sink.has(hash)) sink.put(kind, hash, writer.bytes());
  const isKept = spareWriters.length < spareMost && writer.room <= spareBytesMost;
  if (isKept) spareWriters.push(writer);
  return hash;
}

export function startNode(kind: NodeKind): NodeWriter {
  const writer = spareWriters.pop() ?? new NodeWriter();
  writer.restart();
  writer.byte(nodeKind[kind]);
  return writer;
}

export function openNode(source: NodeSource, kind: NodeKind, hash: Buffer): NodeReader {
  const reader = new NodeReader(source.get(hash));
  if (reader.byte() !== nodeKind[kind]) throw new NodeFault(`a node is not a ${kind}`);
  return reader;
}

/** An entry of a list node, which is sorted by key. */
export type ListEntry = readonly [key: string, value: Uint8Array];

/** Average number of entries in a chunk, and the most. */
const chunkEntries = 64;
export const chunkEntriesMost = 1024;

/** Returns whether a chunk begins at a key, whatever is before it. */
export function beginsChunk(key: string): boolean {
  return hashText(key) % chunkEntries === 0;
}

/**
 * Writes a sorted list as a node of chunks. The key of the next entry decides where a chunk ends,
 * not a count: equal lists have equal nodes, and a change affects only its own chunk.
 */
export function putList(sink: NodeSink, entries: Iterable<ListEntry>): Buffer {
  const list = startNode('list');
  let chunk = startNode('chunk');
  let count = 0;
  const close = (): void => {
    if (count === 0) return;
    list.hash(putNode(sink, 'chunk', chunk));
    chunk = startNode('chunk');
    count = 0;
  };
  for (const [key, value] of entries) {
    if (count >= chunkEntriesMost || beginsChunk(key)) close();
    chunk.text(key);
    chunk.count(value.length);
    chunk.raw(value);
    count++;
  }
  close();
  return putNode(sink, 'list', list);
}

export function* getList(source: NodeSource, hash: Buffer): Generator<[string, Buffer]> {
  const list = openNode(source, 'list', hash);
  while (!list.isAtEnd) {
    const chunk = openNode(source, 'chunk', list.hash());
    while (!chunk.isAtEnd) yield [chunk.text(), chunk.raw(chunk.count())];
  }
}

/** FNV-1a (Fowler, Noll, Vo) over the units of a text, its bits mixed once more. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 12)) >>> 0;
}
