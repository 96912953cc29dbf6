import { SaxesParser } from 'saxes';
import { fileLimits } from './file-limits.ts';
import { brokenFile } from './file-problem.ts';
import { repairWindows1252 } from './windows-1252.ts';
import { XmlLengths } from './xml-lengths.ts';
import type { ZipEntries } from './zip-entries.ts';

export type XmlAttributes = Readonly<Record<string, string>>;

/**
 * Receives one XML part as it streams by. Names come without their namespace prefix, because
 * writers choose any; `depth` (the root is 1) tells an element from its namesakes elsewhere.
 */
export interface XmlConsumer {
  open(name: string, attributes: XmlAttributes, depth: number): void;
  /** A text node may come in several pieces. */
  text?(text: string): void;
  close?(name: string, depth: number): void;
}

const headBytes = 256;

/** The global has no type of this name in @types/node 20. */
type Decoder = InstanceType<typeof TextDecoder>;

/** Pieces in which the parser gets a part, so that it never holds much more than one token. */
const sliceCharacters = 64 * 1024;

/** Streams the part through the consumer; every failure is a FileProblem that names the part. */
export function readXml(zip: Pick<ZipEntries, 'read'>, part: string, consumer: XmlConsumer): void {
  const { parser, lengths } = parserFor(part, consumer);
  const text = new TextChunks(part, (chunk) => {
    for (let start = 0; start < chunk.length; start += sliceCharacters) {
      const slice = chunk.slice(start, start + sliceCharacters);
      lengths.feed(slice);
      parser.write(slice);
      lengths.checkFed();
    }
  });
  try {
    zip.read(part, (chunk) => text.push(chunk));
    text.end();
    parser.close();
  } catch (cause) {
    // saxes throws bare errors; anything else is a FileProblem already, or a bug of ours.
    if (!(cause instanceof Error) || cause.constructor !== Error) throw cause;
    throw brokenFile(`${part} is not well-formed XML (${cause.message})`);
  }
}

/**
 * Only five handlers: they are properties of the parser, and a sixth or seventh turns its object
 * into a dictionary, which makes it six times slower (measured on Node 20).
 */
function parserFor(part: string, consumer: XmlConsumer) {
  const parser = new SaxesParser({ xmlns: false, position: false });
  const lengths = new XmlLengths(part);
  const take = consumer.text?.bind(consumer) ?? ignore;
  let depth = 0;
  parser.on('doctype', () => {
    throw brokenFile(`${part} has a document type declaration, which .xlsx does not allow`);
  });
  parser.on('opentag', (tag) => {
    lengths.endTag(parser.position);
    depth++;
    if (depth > fileLimits.xmlDepth) throw brokenFile(`${part} is nested too deeply`);
    consumer.open(localName(tag.name), tag.attributes, depth);
  });
  parser.on('text', (text) => {
    // The parser hands a text over when it has read the `<` behind it.
    lengths.endText(parser.position - 1, text.length);
    take(text);
  });
  parser.on('cdata', (text) => {
    lengths.endText(parser.position, text.length);
    take(text);
  });
  parser.on('closetag', (tag) => {
    lengths.endTag(parser.position);
    consumer.close?.(localName(tag.name), depth);
    depth--;
  });
  return { parser, lengths };
}

function ignore(): void {
  // A part whose texts mean nothing to the import.
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

/** The attribute of that local name under whatever prefix, for `r:id` and its like. */
export function prefixedAttribute(attributes: XmlAttributes, local: string): string | undefined {
  for (const name of Object.keys(attributes)) {
    if (name.endsWith(`:${local}`)) return attributes[name];
  }
  return attributes[local];
}

/** Returns whether an xsd:boolean attribute is set to true. */
export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true' || value === 'on';
}

/** Bytes to text; the encoding is found from the byte order mark or the XML declaration. */
class TextChunks {
  readonly #part: string;
  readonly #consume: (text: string) => void;
  #decoder: Decoder | undefined;
  /** The first bytes, held back until they suffice to tell the encoding. */
  #head = new Uint8Array(0);

  constructor(part: string, consume: (text: string) => void) {
    this.#part = part;
    this.#consume = consume;
  }

  push(chunk: Uint8Array): void {
    if (this.#decoder !== undefined) {
      this.#decode(this.#decoder, chunk, true);
      return;
    }
    const head = new Uint8Array(this.#head.length + chunk.length);
    head.set(this.#head);
    head.set(chunk, this.#head.length);
    this.#head = head;
    if (head.length >= headBytes) this.#start();
  }

  end(): void {
    const decoder = this.#decoder ?? this.#start();
    this.#decode(decoder, new Uint8Array(0), false);
  }

  #start(): Decoder {
    let decoder: Decoder;
    try {
      decoder = new TextDecoder(encodingOf(this.#head), { fatal: true });
    } catch {
      throw brokenFile(`${this.#part} declares an unknown character encoding`);
    }
    this.#decoder = decoder;
    this.#decode(decoder, this.#head, true);
    this.#head = new Uint8Array(0);
    return decoder;
  }

  #decode(decoder: Decoder, chunk: Uint8Array, stream: boolean): void {
    let text: string;
    try {
      text = decoder.decode(chunk, { stream });
    } catch {
      throw brokenFile(`${this.#part} holds bytes that are not text in its encoding`);
    }
    if (decoder.encoding === 'windows-1252') text = repairWindows1252(text);
    if (text !== '') this.#consume(text);
  }
}

function encodingOf(head: Uint8Array): string {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0x3c && second === 0) return 'utf-16le';
  if (first === 0 && second === 0x3c) return 'utf-16be';
  const declaration = String.fromCharCode(...head.subarray(0, headBytes));
  const label = /^(?:\u00ef\u00bb\u00bf)?<\?xml[^>]*encoding=["']([\w.:-]+)["']/.exec(declaration);
  // A declaration readable byte by byte cannot be UTF-16, whatever it says.
  const name = label?.[1] ?? 'utf-8';
  return /^utf-?16/i.test(name) ? 'utf-8' : name;
}
