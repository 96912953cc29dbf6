import type { FormatStyle } from '../../server/model/payload-rules.ts';
import { canonicalObject, type JsonObject } from '../../server/model/plain-json.ts';
import { operationLimits as limits } from '../../server/model/operation-limits.ts';
import { parseRange, rangeName, type Range } from '../../server/model/range.ts';
import type { RecordType } from '../../server/model/record.ts';
import { cornerOf, type FileRecord } from './file-record.ts';
import type { DroppedList } from './imported-workbook.ts';
import type { SheetRenames } from './sheet-renames.ts';
import type { Relationship } from './xlsx-package.ts';
import { readFilter } from './xlsx-read-filter.ts';
import { readFormat, readValidation, RuleLoss, type RuleContext } from './xlsx-read-rules.ts';
import { isTrue, prefixedAttribute, type XmlAttributes, type XmlConsumer } from './xml-reader.ts';
import {
  childOf,
  childrenOf,
  ElementCollector,
  textAttribute,
  type XmlElement,
} from './xml-tree.ts';

/** Facts that reading the records of a sheet needs. */
export interface RecordContext {
  readonly sheet: string;
  readonly links: readonly Relationship[];
  /** Styles of conditional formats. */
  readonly styles: readonly FormatStyle[];
  readonly dropped: DroppedList;
  readonly renames: SheetRenames;
  readonly acceptsFormula: ((formula: string) => boolean) | undefined;
}

const sections = new Set([
  'mergeCell',
  'conditionalFormatting',
  'dataValidation',
  'hyperlink',
  'sheetProtection',
  'protectedRange',
  'autoFilter',
]);
/** Deeper elements are extensions of newer programs. */
const sectionDepthMost = 3;

interface Prioritized {
  readonly record: FileRecord;
  readonly priority: number;
}

/**
 * Collects merged cells, rules, links, the filter and protections while a sheet's elements stream
 * by.
 */
export class RecordReader implements XmlConsumer {
  readonly #context: RecordContext;
  readonly #collector: ElementCollector;
  readonly #records = new Map<RecordType, FileRecord[]>();
  readonly #formats: Prioritized[] = [];

  constructor(context: RecordContext) {
    this.#context = context;
    this.#collector = new ElementCollector(sections, (element) => this.#take(element));
  }

  open(name: string, attributes: XmlAttributes, depth: number): void {
    this.#collector.open(name, attributes, depth);
  }

  text(text: string): void {
    this.#collector.text(text);
  }

  close(): void {
    this.#collector.close();
  }

  /** Returns the records by type; conditional formats are in the order of their priority. */
  records(): FileRecord[] {
    const formats = this.#formats.toSorted((a, b) => a.priority - b.priority);
    return [
      ...this.#of('cellmerge'),
      ...this.#of('validation'),
      ...formats.map(({ record }) => record),
      ...this.#of('hyperlink'),
      ...this.#of('filter'),
      ...this.#of('protection'),
    ];
  }

  #of(type: RecordType): FileRecord[] {
    return this.#records.get(type) ?? [];
  }

  #add(type: RecordType, ranges: readonly Range[] | null, value: JsonObject): void {
    const list = this.#records.get(type) ?? [];
    this.#records.set(type, list);
    if (list.length >= limits.recordCount) {
      this.#lose(type, `a workbook has at most ${limits.recordCount} of those`);
      return;
    }
    list.push({ type, ranges: ranges && ranges.map(rangeName), value });
  }

  #lose(what: string, why: string): void {
    this.#context.dropped.add(what, why, { where: this.#context.sheet });
  }

  #take(element: XmlElement): void {
    switch (element.name) {
      case 'mergeCell':
        return this.#takeMerge(element);
      case 'conditionalFormatting':
        return this.#takeFormats(element);
      case 'dataValidation':
        return this.#takeValidation(element);
      case 'hyperlink':
        return this.#takeLink(element);
      case 'sheetProtection':
        return this.#takeProtection(element);
      case 'protectedRange':
        return this.#takeProtectedRange(element);
      default:
        return this.#takeFilter(element);
    }
  }

  #takeMerge({ attributes }: XmlElement): void {
    const range = parseRange(attributes['ref'] ?? '');
    const isOne = range && range.row0 === range.row1 && range.column0 === range.column1;
    if (range && !isOne) this.#add('cellmerge', [range], {});
  }

  #takeFormats(element: XmlElement): void {
    const isExtension = element.depth > sectionDepthMost;
    for (const rule of childrenOf(element, 'cfRule')) {
      if (isExtension && !standsAlone(rule)) {
        const why = 'what only newer programs read of them is not kept';
        this.#lose('details of conditional formats', why);
        continue;
      }
      const priority = Number(rule.attributes['priority'] ?? Infinity);
      this.#takeRule('conditional format', element, (context, ranges) => {
        const value = readFormat(rule, context, this.#context.styles);
        const record = { type: 'cf', ranges: ranges.map(rangeName), value } as const;
        if (this.#formats.length < limits.recordCount) this.#formats.push({ record, priority });
        else this.#lose('conditional format', `a workbook has at most ${limits.recordCount}`);
      });
    }
  }

  #takeValidation(element: XmlElement): void {
    this.#takeRule('data validation', element, (context, ranges) => {
      this.#add('validation', ranges, readValidation(element, context));
    });
  }

  /** Adds a rule; one with more areas than an operation takes becomes several. */
  #takeRule(
    what: string,
    element: XmlElement,
    add: (context: RuleContext, ranges: readonly Range[]) => void,
  ): void {
    const ranges = rangesOf(element.attributes['sqref'] ?? childOf(element, 'sqref')?.text ?? '');
    const corner = cornerOf(ranges);
    const { acceptsFormula, renames } = this.#context;
    try {
      for (let at = 0; at < ranges.length; at += limits.areasPerRange) {
        const part = ranges.slice(at, at + limits.areasPerRange);
        const [first] = part;
        if (!first) continue;
        const shift = { rows: first.row0 - corner.row, columns: first.column0 - corner.column };
        add({ corner, shift, acceptsFormula, renames }, part);
      }
    } catch (loss) {
      if (!(loss instanceof RuleLoss)) throw loss;
      this.#lose(what, loss.message);
    }
  }

  #takeLink(element: XmlElement): void {
    const range = parseRange(element.attributes['ref'] ?? '');
    if (!range) return;
    const link = linkOf(element, this.#context);
    const text = link.url ?? link.location ?? '';
    if (text === '' || text.length > limits.linkLength) {
      this.#lose('hyperlink', 'it leads nowhere, or its address is too long');
      return;
    }
    this.#add('hyperlink', [range], canonicalObject(link));
  }

  #takeFilter(element: XmlElement): void {
    if (element.depth !== 2) return;
    const range = parseRange(element.attributes['ref'] ?? '');
    if (!range) return;
    const lose = (why: string) => this.#lose('filter criteria', why);
    const criteria = readFilter(element, range, { styles: this.#context.styles, lose });
    this.#add('filter', [range], canonicalObject({ criteria }));
  }

  /**
   * Reads a protection. Its password is not read: a protection prevents mistakes, and everybody can
   * lift it.
   */
  #takeProtection({ attributes, depth }: XmlElement): void {
    if (depth !== 2 || !isTrue(attributes['sheet'])) return;
    this.#losePassword(attributes);
    const options: Record<string, boolean> = {};
    for (const name of protectionOptions) {
      const value = attributes[name];
      if (value !== undefined) options[name] = isTrue(value);
    }
    const said = Object.keys(options).length > 0 ? options : undefined;
    this.#add('protection', null, canonicalObject({ who: ['*'], options: said }));
  }

  #takeProtectedRange(element: XmlElement): void {
    const ranges = rangesOf(element.attributes['sqref'] ?? '');
    if (ranges.length === 0 || ranges.length > limits.areasPerRange) return;
    this.#losePassword(element.attributes);
    const name = textAttribute(element, 'name')?.slice(0, 255) || undefined;
    this.#add('protection', ranges, canonicalObject({ who: ['*'], name }));
  }

  #losePassword(attributes: XmlAttributes): void {
    const isLocked = ['password', 'hashValue', 'securityDescriptor'].some((name) => {
      return attributes[name] !== undefined;
    });
    if (isLocked) this.#lose('password of a protection', 'the protection is kept without it');
  }
}

/**
 * Returns whether a rule for newer programs, such as one about another sheet, is a whole one: those
 * that only add to a rule for all programs have no priority.
 */
function standsAlone({ attributes }: XmlElement): boolean {
  return attributes['priority'] !== undefined;
}

interface LinkTarget {
  readonly url?: string | undefined;
  readonly location?: string | undefined;
  readonly tooltip: string | undefined;
}

/** Reads a link: an address with a place behind `#`, or a place in the workbook. */
function linkOf(element: XmlElement, { links, renames }: RecordContext): LinkTarget {
  const id = prefixedAttribute(element.attributes, 'id');
  const target = links.find((link) => link.id === id && link.isExternal)?.target;
  const place = textAttribute(element, 'location');
  const tooltip = textAttribute(element, 'tooltip')?.slice(0, 255);
  if (target === undefined) return { location: place && renames.respell(place), tooltip };
  return { url: place === undefined ? target : `${target}#${place}`, tooltip };
}

const protectionOptions = [
  'objects',
  'scenarios',
  'formatCells',
  'formatColumns',
  'formatRows',
  'insertColumns',
  'insertRows',
  'insertHyperlinks',
  'deleteColumns',
  'deleteRows',
  'selectLockedCells',
  'sort',
  'autoFilter',
  'pivotTables',
  'selectUnlockedCells',
];

function rangesOf(text: string): Range[] {
  return text
    .trim()
    .split(/\s+/u)
    .flatMap((part) => parseRange(part) ?? []);
}
