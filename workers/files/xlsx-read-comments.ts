import { cutText } from '../../server/model/cut-text.ts';
import { operationLimits as limits } from '../../server/model/operation-limits.ts';
import { canonicalObject, type JsonObject } from '../../server/model/plain-json.ts';
import { parseRange, rangeName, type Range } from '../../server/model/range.ts';
import type { FileRecord } from './file-record.ts';
import type { DroppedList } from './imported-workbook.ts';
import type { Relationship } from './xlsx-package.ts';
import { isTrue, readXml } from './xml-reader.ts';
import { decodeEscapes, hasNoCharacter, lostCharacters } from './xml-text.ts';
import { childOf, ElementCollector, textAttribute, type XmlElement } from './xml-tree.ts';
import type { ZipEntries } from './zip-entries.ts';

interface CommentParts {
  readonly zip: ZipEntries;
  readonly links: readonly Relationship[];
  readonly sheet: string;
  /** Names of the authors, by their id in the file. */
  readonly people: ReadonlyMap<string, string>;
  readonly dropped: DroppedList;
}

/**
 * Prefix of the author of the note that Excel keeps beside each thread, for programs without
 * threads.
 */
const threadMark = 'tc=';

/** Reads the notes and threads of a sheet in the order of the file. */
export function readComments(parts: CommentParts): FileRecord[] {
  const threads = partsOf(parts, 'threadedComment').flatMap((part) => readThreads(part, parts));
  const covered = new Set(threads.map(({ ranges }) => ranges?.[0]));
  const notes = partsOf(parts, 'comments').flatMap((part) => readNotes(part, parts, covered));
  return [...notes, ...threads];
}

/** Reads the people of the workbook, by id. */
export function readPeople(zip: ZipEntries, links: readonly Relationship[]): Map<string, string> {
  const people = new Map<string, string>();
  const take = (person: XmlElement) => {
    const name = textAttribute(person, 'displayName');
    if (name !== undefined) people.set(person.attributes['id'] ?? '', authorName(name));
  };
  for (const { type, target, isExternal } of links) {
    if (type !== 'person' || isExternal || !zip.has(target)) continue;
    readXml(zip, target, new ElementCollector(new Set(['person']), take));
  }
  return people;
}

function partsOf({ zip, links }: CommentParts, type: string): string[] {
  return links.flatMap((link) => {
    return link.type === type && !link.isExternal && zip.has(link.target) ? link.target : [];
  });
}

function readNotes(
  part: string,
  { zip, sheet, dropped }: CommentParts,
  covered: ReadonlySet<string | undefined>,
): FileRecord[] {
  const authors: string[] = [];
  const notes: FileRecord[] = [];
  const take = (element: XmlElement) => {
    if (element.name === 'author') {
      authors.push(decodeEscapes(element.text));
      return;
    }
    const range = cellOf(element);
    const author = authors[Number(element.attributes['authorId'] ?? NaN)] ?? '';
    if (!range || (author.startsWith(threadMark) && covered.has(rangeName(range)))) return;
    const raw = textOf(childOf(element, 'text'));
    const text = decodeEscapes(raw);
    if (hasNoCharacter(raw)) dropped.add(...lostCharacters, { where: sheet });
    if (text === '') dropped.add('notes', 'an empty note is none', { where: sheet });
    else notes.push(noteOf(range, text, author));
  };
  readXml(zip, part, new ElementCollector(new Set(['author', 'comment']), take));
  return notes.slice(0, limits.recordCount);
}

function noteOf(range: Range, text: string, author: string): FileRecord {
  const isNobody = author.trim() === '' || author.startsWith(threadMark);
  const named = isNobody ? undefined : authorName(author);
  const value = canonicalObject({ text: cutText(text, limits.textLength), author: named });
  return { type: 'note', ranges: [rangeName(range)], value };
}

interface OpenThread {
  readonly range: Range;
  resolved: boolean;
  readonly comments: JsonObject[];
}

function readThreads(part: string, { zip, people, sheet, dropped }: CommentParts): FileRecord[] {
  const threads = new Map<string, OpenThread>();
  const take = (element: XmlElement) => {
    const { attributes } = element;
    const { parentId, id = '' } = attributes;
    const range = cellOf(element);
    const known = parentId === undefined ? undefined : threads.get(parentId);
    const thread = known ?? (range && { range, resolved: false, comments: [] });
    const comment = commentOf(element, people);
    const isFull = thread !== undefined && thread.comments.length >= limits.commentsPerThread;
    if (!thread || !comment || isFull) {
      dropped.add('comments', 'it is empty, or belongs nowhere', { where: sheet });
      return;
    }
    thread.comments.push(comment);
    if (known) return;
    thread.resolved = isTrue(attributes['done']);
    threads.set(id === '' ? `${threads.size}` : id, thread);
  };
  readXml(zip, part, new ElementCollector(new Set(['threadedComment']), take));
  return [...threads.values()]
    .slice(0, limits.recordCount)
    .map(({ range, resolved, comments }) => ({
      type: 'thread',
      ranges: [rangeName(range)],
      value: { comments, resolved },
    }));
}

function commentOf(
  element: XmlElement,
  people: ReadonlyMap<string, string>,
): JsonObject | undefined {
  const text = decodeEscapes(childOf(element, 'text')?.text ?? '');
  if (text === '') return undefined;
  return canonicalObject({
    text: cutText(text, limits.commentTextLength),
    author: people.get(element.attributes['personId'] ?? '') || undefined,
    at: timeOf(element.attributes['dT'] ?? ''),
  });
}

/** Reads a time; files leave out the zone and mean UTC. */
function timeOf(text: string): string | undefined {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?/u.exec(text)?.[0];
  return time === undefined ? undefined : `${time}Z`;
}

function cellOf({ attributes }: XmlElement): Range | undefined {
  const range = parseRange(attributes['ref'] ?? '');
  return range && { ...range, row1: range.row0, column1: range.column0 };
}

/** Returns the text of all runs, without fonts and phonetic readings. */
function textOf(element: XmlElement | undefined): string {
  if (!element) return '';
  const texts = element.children.map((child) => {
    if (child.name === 't') return child.text;
    return child.name === 'r' ? (childOf(child, 't')?.text ?? '') : '';
  });
  return texts.join('');
}

function authorName(name: string): string {
  return cutText(name.trim(), limits.writerLength);
}
