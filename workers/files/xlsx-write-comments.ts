import { createHash } from 'node:crypto';

import type { JsonObject } from '../../server/model/plain-json.ts';
import { cellName } from '../../server/model/address.ts';
import { rangesOf, type FileRecord } from './file-record.ts';
import { objectsOf } from './record-operations.ts';
import { encodeText } from './xml-text.ts';

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const threadNamespace = 'http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments';
/** Shapes of one block of ids; a drawing states which blocks it uses. */
const shapesPerBlock = 1_024;

interface Comment {
  readonly id: string;
  readonly personId: string;
  readonly author: string;
  readonly text: string;
  readonly at: string | undefined;
}

/** The note or the conversation of one cell. */
interface Talk {
  readonly row: number;
  readonly column: number;
  readonly note: { readonly author: string; readonly text: string } | undefined;
  readonly comments: readonly Comment[];
  readonly resolved: boolean;
}

/** Notes and threads of one sheet as the parts of a file. */
export class SheetTalk {
  readonly #talks: readonly Talk[];

  constructor(records: readonly FileRecord[], sheetIndex: number) {
    this.#talks = talksOf(records, sheetIndex);
  }

  get isEmpty(): boolean {
    return this.#talks.length === 0;
  }

  get hasThreads(): boolean {
    return this.#talks.some(({ comments }) => comments.length > 0);
  }

  /** Returns ids for the authors, by name. */
  people(): Map<string, string> {
    const people = new Map<string, string>();
    for (const { comments } of this.#talks) {
      for (const { author, personId } of comments) people.set(author, personId);
    }
    return people;
  }

  /** Returns the part of notes; programs without threads show a note in their place. */
  notesPart(): string {
    const authors = new Map<string, number>();
    const comments = this.#talks.map(({ row, column, note, comments: said }) => {
      const [first] = said;
      const author = first ? `tc=${first.id}` : (note?.author ?? '');
      const index = authors.get(author) ?? authors.size;
      authors.set(author, index);
      const uid = first ? ` xr:uid="${first.id}"` : '';
      const text = first ? legacyText(said) : (note?.text ?? '');
      const start = `<comment ref="${cellName(row, column)}" authorId="${index}" shapeId="0"${uid}>`;
      // Text is in a run, as Excel writes it: some readers ignore text outside of runs.
      const run = `<r><t xml:space="preserve">${encodeText(text)}</t></r>`;
      return `${start}<text>${run}</text></comment>`;
    });
    const names = [...authors.keys()].map((name) => `<author>${encodeText(name)}</author>`);
    const revision = 'http://schemas.microsoft.com/office/spreadsheetml/2014/revision';
    const compatibility = 'http://schemas.openxmlformats.org/markup-compatibility/2006';
    return (
      `${declaration}<comments xmlns="${main}" xmlns:mc="${compatibility}" mc:Ignorable="xr" ` +
      `xmlns:xr="${revision}"><authors>${names.join('')}</authors>` +
      `<commentList>${comments.join('')}</commentList></comments>`
    );
  }

  threadsPart(): string {
    const elements = this.#talks.flatMap(({ row, column, comments, resolved }) =>
      comments.map(({ id, personId, text, at }, index) => {
        const parent = index === 0 ? '' : ` parentId="${comments[0]?.id ?? ''}"`;
        const time = at === undefined ? '' : ` dT="${at.replace(/Z$/u, '')}"`;
        const done = index === 0 && resolved ? ' done="1"' : '';
        const place = `ref="${cellName(row, column)}"${time} personId="${personId}"`;
        return (
          `<threadedComment ${place} id="${id}"${parent}${done}>` +
          `<text>${encodeText(text)}</text></threadedComment>`
        );
      }),
    );
    const start = `<ThreadedComments xmlns="${threadNamespace}" xmlns:x="${main}">`;
    return `${declaration}${start}${elements.join('')}</ThreadedComments>`;
  }

  /**
   * Returns the shapes of the notes, without which Excel shows none. `firstBlock` counts from 1.
   */
  drawingPart(firstBlock: number): string {
    const blocks = Array.from({ length: this.blockCount }, (_, index) => firstBlock + index);
    const shapes = this.#talks.map(({ row, column }, index) => {
      const block = firstBlock + Math.floor(index / (shapesPerBlock - 1));
      const id = block * shapesPerBlock + (index % (shapesPerBlock - 1)) + 1;
      return shapeElement(id, { row, column, index });
    });
    return (
      '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" ' +
      'xmlns:x="urn:schemas-microsoft-com:office:excel"><o:shapelayout v:ext="edit">' +
      `<o:idmap v:ext="edit" data="${blocks.join(',')}"/></o:shapelayout>` +
      '<v:shapetype id="_x0000_t202" coordsize="21600,21600" o:spt="202" ' +
      'path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/>' +
      `<v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>${shapes.join('')}</xml>`
    );
  }

  get blockCount(): number {
    return Math.ceil(this.#talks.length / (shapesPerBlock - 1));
  }
}

/** Returns the part of the people of all sheets. */
export function peoplePart(talks: readonly SheetTalk[]): string {
  const people = new Map(talks.flatMap((talk) => [...talk.people()]));
  const elements = [...people].map(([name, id]) => {
    const called = encodeText(name);
    return `<person displayName="${called}" id="${id}" userId="${called}" providerId="None"/>`;
  });
  return `${declaration}<personList xmlns="${threadNamespace}">${elements.join('')}</personList>`;
}

/** Groups records by cell: notes and threads of one cell become one conversation. */
function talksOf(records: readonly FileRecord[], sheetIndex: number): Talk[] {
  const byCell = new Map<string, Talk>();
  for (const [index, record] of records.entries()) {
    const talk = talkOf(record, [sheetIndex, index]);
    if (!talk) continue;
    const name = cellName(talk.row, talk.column);
    const known = byCell.get(name);
    byCell.set(name, known ? together(known, talk) : talk);
  }
  const talks = [...byCell.values()].map((talk, index) => withNote(talk, [sheetIndex, index]));
  return talks.sort((a, b) => a.row - b.row || a.column - b.column);
}

function talkOf(record: FileRecord, place: readonly number[]): Talk | undefined {
  const [range] = rangesOf(record);
  if (!range) return undefined;
  const cell = { row: range.row0, column: range.column0 };
  if (record.type === 'thread') return { ...cell, note: undefined, ...threadOf(record, place) };
  if (record.type !== 'note') return undefined;
  return { ...cell, note: noteOf(record), comments: [], resolved: false };
}

function together(one: Talk, other: Talk): Talk {
  return {
    ...one,
    note: one.note ?? other.note,
    comments: [...one.comments, ...other.comments],
    resolved: one.resolved || other.resolved,
  };
}

/**
 * Adds a note to the conversation of its cell as the last comment, because a file has only one of
 * both.
 */
function withNote(talk: Talk, place: readonly number[]): Talk {
  const { note, comments } = talk;
  if (!note || comments.length === 0) return talk;
  const said = commentOf({ text: note.text, author: note.author }, ['note', ...place]);
  return { ...talk, note: undefined, comments: [...comments, said] };
}

function noteOf({ value }: FileRecord): { author: string; text: string } {
  const { author, text } = value;
  return { author: stringOf(author), text: stringOf(text) };
}

function threadOf({ value }: FileRecord, place: readonly number[]) {
  const comments = objectsOf(value['comments']).map((comment, index) => {
    return commentOf(comment, ['comment', ...place, index]);
  });
  return { comments, resolved: value['resolved'] === true };
}

function commentOf({ text, author, at }: JsonObject, place: readonly (string | number)[]): Comment {
  const name = stringOf(author) || 'unknown';
  return {
    id: guidOf(place.join('/')),
    personId: guidOf(`person/${name}`),
    author: name,
    text: stringOf(text),
    at: typeof at === 'string' ? at : undefined,
  };
}

function stringOf(value: JsonObject[string] | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Returns a GUID that depends on the text alone, so that equal workbooks give equal bytes. */
function guidOf(text: string): string {
  const digits = createHash('sha256').update(text).digest('hex').toUpperCase();
  const parts = [8, 12, 16, 20, 32].map((end, index, ends) => {
    return digits.slice(ends[index - 1] ?? 0, end);
  });
  return `{${parts.join('-')}}`;
}

function legacyText([first, ...replies]: readonly Comment[]): string {
  const about =
    '[Threaded comment]\n\nYour version of Excel allows you to read this threaded comment; ' +
    'however, any edits to it will get removed if the file is opened in a newer version of Excel.';
  const said = replies.map(({ text }) => `Reply:\n    ${text}`);
  return [`${about}\n\nComment:\n    ${first?.text ?? ''}`, ...said].join('\n');
}

function shapeElement(
  id: number,
  { row, column, index }: { row: number; column: number; index: number },
): string {
  const top = Math.max(0, row - 1);
  const anchor = [column + 1, 15, top, 2, column + 3, 15, top + 4, 4].join(', ');
  return (
    `<v:shape id="_x0000_s${id}" type="#_x0000_t202" style="position:absolute;` +
    `margin-left:59.25pt;margin-top:1.5pt;width:108pt;height:59.25pt;z-index:${index + 1};` +
    'visibility:hidden" fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/>' +
    '<v:shadow on="t" color="black" obscured="t"/><v:path o:connecttype="none"/>' +
    '<v:textbox style="mso-direction-alt:auto"><div style="text-align:left"></div></v:textbox>' +
    '<x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/>' +
    `<x:Anchor>${anchor}</x:Anchor><x:AutoFill>False</x:AutoFill>` +
    `<x:Row>${row}</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`
  );
}
