import { SaxesParser } from 'saxes';
import { fileLimits } from './file-limits.ts';
import { brokenFile } from './file-problem.ts';
import { repairWindows1252 } from './windows-1252.ts';
import { XmlLengths } from './xml-lengths.ts';
import type { ZipEntries } from './zip-entries.ts';

export type XmlAttributes = Readonly<Record<string, string>>;

/**
 * Receives an XML part as a stream. Names come without their prefix, which writers choose freely;
 * `depth` (1 for the root) tells elements of the same name apart.
 */
export interface XmlConsumer {
  open(name: string, attributes: XmlAttributes, depth: number): void;
  /** Receives a text node, possibly in several pieces. */
  text?(text: string): void;
  close?(name: string, depth: number): void;
}

const headBytes = 256;

/** @types/node 20 has no global type of this name. */
type Decoder = InstanceType<typeof TextDecoder>;

/** Length of the pieces for the parser, which holds little more than one token. */
const sliceCharacters = 64 * 1024;

/**
 * Streams a part through the consumer; every failure is a FileProblem with the name of the part.
 */
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
    // saxes throws plain Errors; anything else is a FileProblem already, or a bug.
    if (!(cause instanceof Error) || cause.constructor !== Error) throw cause;
    throw brokenFile(`${part} is not well-formed XML (${cause.message})`);
  }
}

/**
 * Makes a parser with only five handlers: with more properties V8 turns its object into a
 * dictionary, which is six times slower (measured on Node 20).
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
    // The parser hands a text over after it has read the `<` behind it.
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
  // The consumer takes no texts.
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}

/** Returns an attribute by its name without the prefix, such as `id` for `r:id`. */
export function prefixedAttribute(attributes: XmlAttributes, local: string): string | undefined {
  for (const name of Object.keys(attributes)) {
    if (name.endsWith(`:${local}`)) return attributes[name];
  }
  return attributes[local];
}

/** Returns whether an xsd:boolean attribute is true. */
export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true' || value === 'on';
}

/** Decodes bytes; the encoding is found from the byte order mark or the XML declaration. */
class TextChunks {
  readonly #part: string;
  readonly #consume: (text: string) => void;
  #decoder: Decoder | undefined;
  /** First bytes, held until they show the encoding. */
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
  // A declaration that is readable byte by byte is not in UTF-16, whatever it says.
  const name = label?.[1] ?? 'utf-8';
  return /^utf-?16/i.test(name) ? 'utf-8' : name;
}
