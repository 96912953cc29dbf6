import { FileProblem } from './file-problem.ts';
import type { DroppedList } from './imported-workbook.ts';
import { packKept, readEntry, type KeptArchive, type KeptContent } from './kept-archive.ts';
import type { KeptChartSheet, KeptDrawing, KeptPart } from './kept-manifest.ts';
import { ContentTypes } from './xlsx-content-types.ts';
import { linksOf, relationships, type Relationship } from './xlsx-package.ts';
import { DrawingSigns } from './xlsx-drawing-signs.ts';
import type { ZipEntries } from './zip-entries.ts';

/** Bytes that the kept parts of a file may have, inflated. */
const keptBytesMost = 64 * 1024 * 1024;

/** Parts that an export writes anew. */
const ownParts =
  /^(?:\[content_types\]\.xml|_rels\/|docprops\/|xl\/(?:_rels\/|workbook\.xml|styles\.xml|metadata\.xml|sharedstrings\.xml|theme\/theme1\.xml|worksheets\/|tables\/|comments\d+\.xml|threadedcomments\/|persons\/|richdata\/|drawings\/vmldrawing))/u;

/**
 * Types of drawings, charts with their styles, diagrams, pictures, and workbooks within a chart.
 */
const keptTypes =
  /^(?:image\/|application\/vnd\.openxmlformats-officedocument\.(?:drawing|drawingml|themeoverride)|application\/vnd\.ms-office\.(?:chart|drawingml)|application\/vnd\.openxmlformats-officedocument\.spreadsheetml\.(?:chartsheet\+xml|sheet$|printersettings))/u;
/** Names that are spelled the same in archives, relationships and content types. */
const plainName = /^[\w.-]+(?:\/[\w.-]+)*$/u;
const keptLinks = new Set(['hyperlink', 'image']);
/** Relationships of a sheet, besides its drawing, without which the drawing is incomplete. */
const controlLinks = new Set(['control', 'ctrlProp', 'oleObject', 'package']);
const strictNamespace = 'purl.oclc.org/ooxml';

interface Root {
  readonly part: string;
  readonly parts: readonly number[];
  readonly refersTo: readonly string[];
}

/** A reason why something is not kept, in words for `dropped`. */
class Unkept extends Error {}

/** Collects the parts that a workbook gets back unchanged: charts, pictures and chart sheets. */
export class KeptReader {
  readonly #zip: ZipEntries;
  readonly #dropped: DroppedList;
  readonly #types: ContentTypes;
  readonly #parts: KeptPart[] = [];
  readonly #contents: KeptContent[] = [];
  readonly #places = new Map<string, number>();
  readonly #drawings: KeptDrawing[] = [];
  readonly #chartSheets: KeptChartSheet[] = [];
  #byteCount = 0;

  constructor(zip: ZipEntries, dropped: DroppedList) {
    this.#zip = zip;
    this.#dropped = dropped;
    this.#types = ContentTypes.read(zip);
  }

  /** Names of the kept parts in lower case. */
  get names(): ReadonlySet<string> {
    return new Set(this.#places.keys());
  }

  get chartSheetNames(): string[] {
    return this.#chartSheets.map(({ name }) => name);
  }

  addDrawing(sheet: string, links: readonly Relationship[]): void {
    const link = links.find(({ type, isExternal }) => type === 'drawing' && !isExternal);
    if (!link) return;
    this.#attempt('charts and images', sheet, () => {
      if (links.some(({ type }) => controlLinks.has(type))) {
        throw new Unkept('the sheet has controls or embedded objects');
      }
      this.#drawings.push({ sheet, ...this.#gather(link.target) });
    });
  }

  /** Adds a chart sheet; returns whether it is kept. */
  addChartSheet(sheet: Pick<KeptChartSheet, 'name' | 'hidden' | 'after'>, part: string): boolean {
    return this.#attempt('chart sheets', sheet.name, () => {
      const root = this.#gather(part);
      const text = Buffer.from(readEntry(this.#zip, part)).toString();
      this.#chartSheets.push({
        ...sheet,
        ...root,
        isSelected: /\btabSelected="(?:1|true)"/u.test(text),
      });
    });
  }

  /**
   * Returns the archive of kept parts; undefined if there are none. `sheets` are the file's
   * worksheets.
   */
  finish(sheets: readonly string[]): KeptArchive | undefined {
    if (this.#drawings.length + this.#chartSheets.length === 0) return undefined;
    const known = new Set(sheets.map((name) => name.toLowerCase()));
    // A name that was no sheet of the file cannot be the former name of one.
    const withKnown = <Kept extends Root>(root: Kept): Kept => ({
      ...root,
      refersTo: root.refersTo.filter((name) => known.has(name.toLowerCase())),
    });
    const drawings = this.#drawings.map(withKnown);
    const chartSheets = this.#chartSheets.map(withKnown);
    const parts = this.#parts;
    return packKept({ parts, drawings, chartSheets }, this.#contents);
  }

  #attempt(what: string, where: string, add: () => void): boolean {
    const before = this.#parts.length;
    try {
      add();
      return true;
    } catch (problem) {
      const isDamaged = problem instanceof FileProblem && problem.code === 'file_broken';
      if (!isDamaged && !(problem instanceof Unkept)) throw problem;
      this.#dropped.add(what, problem.message, { where });
      this.#forget(before);
      return false;
    }
  }

  /** Drops the parts of something that is not kept after all. */
  #forget(count: number): void {
    for (const { bytes, links } of this.#contents.splice(count)) {
      this.#byteCount -= bytes.length + (links?.length ?? 0);
    }
    for (const { name } of this.#parts.splice(count)) this.#places.delete(name.toLowerCase());
  }

  /** Collects a part and all that it leads to. */
  #gather(part: string): Root {
    const parts = new Set<number>();
    const signs = new DrawingSigns();
    const waiting = [part];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const place = this.#places.get(name.toLowerCase()) ?? this.#take(name);
      if (parts.has(place)) continue;
      parts.add(place);
      signs.read(this.#zip, name, this.#parts[place]?.contentType ?? '');
      for (const link of relationships(this.#zip, name)) {
        if (!link.isExternal) waiting.push(link.target);
        else if (!keptLinks.has(link.type)) throw new Unkept('it leads to another file');
      }
    }
    if (signs.fault !== undefined) throw new Unkept(signs.fault);
    return { part, parts: [...parts].sort((a, b) => a - b), refersTo: [...signs.refersTo] };
  }

  #take(name: string): number {
    if (!this.#zip.has(name)) throw new Unkept(`its part ${name} is missing`);
    const contentType = this.#types.of(name);
    const isKept = contentType !== undefined && keptTypes.test(contentType.toLowerCase());
    if (!isKept || !plainName.test(name) || ownParts.test(name.toLowerCase())) {
      throw new Unkept(`it needs ${name}, which is not kept`);
    }
    const bytes = readEntry(this.#zip, name);
    const linksName = linksOf(name);
    const links = this.#zip.has(linksName) ? readEntry(this.#zip, linksName) : undefined;
    this.#byteCount += bytes.length + (links?.length ?? 0);
    if (this.#byteCount > keptBytesMost) throw new Unkept('at most 64 MiB of them are kept');
    const isStrict = [bytes, links].some(
      (text) => text && Buffer.from(text).includes(strictNamespace),
    );
    if (isStrict && contentType.endsWith('+xml')) throw new Unkept('they are in the strict format');
    const place = this.#parts.push({ name, contentType, hasLinks: links !== undefined }) - 1;
    this.#contents.push({ bytes, links });
    this.#places.set(name.toLowerCase(), place);
    return place;
  }
}
