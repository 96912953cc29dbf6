import { tooLargeFile } from './file-problem.ts';
import { decodeEscapes } from './xml-text.ts';
import type { XmlAttributes, XmlConsumer } from './xml-reader.ts';

/** A small element with all of its content. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: XmlAttributes;
  readonly depth: number;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

interface OpenElement {
  readonly name: string;
  readonly attributes: XmlAttributes;
  readonly depth: number;
  readonly children: XmlElement[];
  text: string;
}

/** Most children of an element that is handed over whole. */
const childrenMost = 100_000;

/** Hands over elements of some names whole, while the rest of the part streams by. */
export class ElementCollector implements XmlConsumer {
  readonly #names: ReadonlySet<string>;
  readonly #take: (element: XmlElement) => void;
  #open: OpenElement[] = [];
  #count = 0;

  constructor(names: ReadonlySet<string>, take: (element: XmlElement) => void) {
    this.#names = names;
    this.#take = take;
  }

  open(name: string, attributes: XmlAttributes, depth: number): void {
    if (this.#open.length === 0) {
      if (!this.#names.has(name)) return;
      this.#count = 0;
    }
    this.#count++;
    if (this.#count > childrenMost)
      throw tooLargeFile(`more than ${childrenMost} parts of a ${name}`);
    this.#open.push({ name, attributes, depth, children: [], text: '' });
  }

  text(text: string): void {
    const last = this.#open.at(-1);
    if (last) last.text += text;
  }

  close(): void {
    const closed = this.#open.pop();
    if (!closed) return;
    const parent = this.#open.at(-1);
    if (parent) parent.children.push(closed);
    else this.#take(closed);
  }
}

export function childrenOf({ children }: XmlElement, name: string): XmlElement[] {
  return children.filter((child) => child.name === name);
}

export function childOf({ children }: XmlElement, name: string): XmlElement | undefined {
  return children.find((child) => child.name === name);
}

/** Reads an attribute of type ST_Xstring. */
export function textAttribute({ attributes }: XmlElement, name: string): string | undefined {
  const text = attributes[name];
  return text === undefined ? undefined : decodeEscapes(text);
}
