import * as fc from 'fast-check';
import t from 'tap';
import { fileLimits } from '../../../workers/files/file-limits.ts';
import { FileProblem } from '../../../workers/files/file-problem.ts';
import { readXlsx } from '../../../workers/files/xlsx-read.ts';
import { readXml } from '../../../workers/files/xml-reader.ts';
import { fileOf } from '../../support/file-round-trip.ts';
import { workbookFile } from '../../support/workbook-file.ts';

const limit = fileLimits.xmlElementCharacters;

/**
 * Returns the events that a consumer gets for a document that comes in these pieces, or the reason
 * of its refusal.
 */
function heard(pieces: readonly Uint8Array[]): string[] | string {
  const events: string[] = [];
  let text = '';
  const flush = (): void => {
    if (text !== '') events.push(`text ${text}`);
    text = '';
  };
  const archive = {
    read(_name: string, consume: (chunk: Uint8Array) => void): void {
      for (const piece of pieces) consume(piece);
    },
  };
  try {
    readXml(archive, 'part.xml', {
      open(name, attributes, depth) {
        flush();
        events.push(`open ${depth} ${name} ${JSON.stringify(attributes)}`);
      },
      text(piece) {
        text += piece;
      },
      close(name, depth) {
        flush();
        events.push(`close ${depth} ${name}`);
      },
    });
  } catch (problem) {
    if (problem instanceof FileProblem) return problem.message;
    throw problem;
  }
  return events;
}

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length];
  ends.sort((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const snippet = fc.constantFrom(
  'plain',
  'ümläut 😀 漢字',
  '\r\n',
  '\r',
  '&amp;&#x1F600;&lt;',
  '<!-- a comment, with <tags/> and ]]> in it -->',
  '<?note a="1" > ?>',
  '<![CDATA[<raw> & ]] > text]]>',
  '<empty/>',
  `<long a="${'x'.repeat(300)}" b='"&quot;>'>${'text '.repeat(90)}</long>`,
  '<x:prefixed x:name="1">inner</x:prefixed>',
);
const documents = fc
  .array(snippet, { maxLength: 12 })
  .map(
    (parts) =>
      `<?xml version="1.0" encoding="UTF-8"?>\r\n<!-- head --><root>${parts.join('')}</root>`,
  );

t.test('a document reads the same however it is cut into chunks', (t) => {
  fc.assert(
    fc.property(documents, fc.array(fc.nat(), { maxLength: 8 }), (text, places) => {
      for (const encoding of ['utf8', 'utf16le'] as const) {
        const bytes = Buffer.from(encoding === 'utf8' ? text : `\uFEFF${text}`, encoding);
        const whole = heard([bytes]);
        t.type(whole, Array);
        t.same(heard(cut(bytes, places)), whole);
      }
    }),
  );
  const bytes = Buffer.from('<r a="ü">\r\n😀&amp;<!-- - --><?p ?><![CDATA[]]]]></r>');
  const whole = heard([bytes]);
  for (let at = 0; at <= bytes.length; at++) {
    t.same(heard(cut(bytes, [at])), whole, `cut at ${at}`);
  }
  t.same(
    heard(
      cut(
        bytes,
        Array.from(bytes, (_, at) => at),
      ),
    ),
    whole,
    'byte by byte',
  );
  t.end();
});

const wrapped = (inner: string): string => `<root>${inner}</root>`;
const filler = (units: number): string => 'x'.repeat(units);
/** Documents with the longest element allowed of each kind, and the same with `more` characters. */
const longest: Readonly<Record<string, (more: number) => string>> = {
  'a text': (more) => wrapped(`<t>${filler(limit + more)}</t>`),
  'text between comments': (more) =>
    wrapped(`<t>${filler(limit - 9)}<!-- c -->${filler(9 + more)}</t>`),
  'text and raw text': (more) =>
    wrapped(`<t>${filler(limit - 30)}<![CDATA[${filler(30 + more)}]]></t>`),
  'raw text': (more) => wrapped(`<![CDATA[${filler(limit - 12 + more)}]]>`),
  'an attribute': (more) => wrapped(`<t a="${filler(limit - 9 + more)}"/>`),
  'a name': (more) => wrapped(`<${filler(limit - 3 + more)}/>`),
  'a comment': (more) => wrapped(`<!--${filler(limit - 7 + more)}-->`),
  'a comment after others': (more) =>
    wrapped(`${`<!--${filler(2_000)}-->`.repeat(1_200)}<!--${filler(limit - 7 + more)}-->`),
  'an instruction': (more) => wrapped(`<?p ${filler(limit - 6 + more)}?>`),
};

t.test('an element of the greatest length is read, and one character more is refused', (t) => {
  for (const [what, make] of Object.entries(longest)) {
    const good = Buffer.from(make(0));
    const bad = Buffer.from(make(1));
    for (const chunk of [good.length + 1, 65_537, 999_983]) {
      const pieces = (bytes: Uint8Array): Uint8Array[] => {
        const places: number[] = [];
        for (let at = chunk; at < bytes.length; at += chunk) places.push(at);
        return cut(bytes, places);
      };
      t.type(heard(pieces(good)), Array, `${what}, pieces of ${chunk}`);
      t.match(heard(pieces(bad)), /part\.xml has an element that is too long/, what);
    }
  }
  t.end();
});

t.test('an element that is too long is refused before it has been read', (t) => {
  for (const start of ['<root>', '<root a="', '<root><!--', '<root><?p ', '<root><![CDATA[', '<']) {
    let count = 0;
    const piece = Buffer.from(filler(1024 * 1024));
    const endless = function* (): Generator<Uint8Array> {
      yield Buffer.from(start.padEnd(256, 'x'));
      for (; count < 100; count++) yield piece;
    };
    const archive = {
      read(_name: string, consume: (chunk: Uint8Array) => void): void {
        for (const chunk of endless()) consume(chunk);
      },
    };
    const read = (): void => readXml(archive, 'part.xml', { open: () => undefined });
    t.throws(read, { message: /too long/ }, start);
    t.ok(count <= 3, `${start}: ${count} MiB were read`);
  }
  t.end();
});

t.test('many short elements in one chunk are no long one', (t) => {
  const times = 3_000;
  const elements: Readonly<Record<string, string>> = {
    texts: `<t>${filler(3_000)}</t>`,
    attributes: `<t a="${filler(3_000)}"/>`,
    comments: `<!--${filler(3_000)}-->`,
    instructions: `<?p ${filler(3_000)}?>`,
    'comments and blanks': `<!--${filler(3_000)}-->\n `,
  };
  for (const [what, element] of Object.entries(elements)) {
    t.type(heard([Buffer.from(wrapped(element.repeat(times)))]), Array, what);
  }
  t.end();
});

t.test('a sheet of long texts that pack well is read', (t) => {
  const inline = (row: number): string =>
    `<row r="${row}"><c r="A${row}" t="inlineStr"><is><t>${filler(3_000)}</t></is></c></row>`;
  const rows = Array.from({ length: 3_000 }, (_, index) => inline(index + 1)).join('');
  const [sheet] = readXlsx(workbookFile(rows)).sheets;
  t.equal([...(sheet?.content.cells() ?? [])].length, 3_000);
  const item = `<si><t>${filler(3_000)}</t></si>`;
  const shared = `<sst>${item.repeat(3_000)}</sst>`;
  t.equal(readXlsx(workbookFile('', { 'xl/sharedStrings.xml': shared })).sheets.length, 1);
  t.end();
});

t.test('an export of long texts is imported again', (t) => {
  const text = 'All work and no play. '.repeat(910).slice(0, 20_000);
  const cells = Array.from({ length: 400 }, (_, row) => ({ row, column: 0, input: text }));
  const sheets = [{ name: 'Long', cells: () => cells }];
  const bytes = fileOf({ date1904: false, names: [], tables: [], sheets });
  const [sheet] = readXlsx(bytes).sheets;
  t.same([...(sheet?.content.cells() ?? [])], cells);
  t.end();
});
