import { plainStyle } from '../../server/model/cell-style.ts';
import { operationLimits } from '../../server/model/operation-limits.ts';
import { settingDefaults } from '../../server/model/settings.ts';
import { CellFormats } from './cell-formats.ts';
import { ExternalNames } from './external-names.ts';
import { FileProblem } from './file-problem.ts';
import { FormulaTable } from './formula-table.ts';
import {
  DroppedList,
  type ImportedSheet,
  type ImportedTable,
  type ImportedWorkbook,
} from './imported-workbook.ts';
import { mergesApart } from './merges-apart.ts';
import { SheetCells, WorkbookPool } from './sheet-cells.ts';
import type { SheetContext } from './sheet-context.ts';
import { plainLook, type WorkbookSettings } from './sheet-look.ts';
import { readFormatStyles } from './xlsx-dxf.ts';
import { readDynamicMarks } from './xlsx-metadata.ts';
import { importNames } from './xlsx-names.ts';
import { openPackage, relationships, workbookPart, type Relationship } from './xlsx-package.ts';
import { dropParts } from './xlsx-parts.ts';
import { readComments, readPeople } from './xlsx-read-comments.ts';
import { noRichErrors, readRichErrors } from './xlsx-rich-errors.ts';
import { KeptReader } from './xlsx-read-kept.ts';
import { readSheet } from './xlsx-sheet.ts';
import { readSharedStrings } from './xlsx-strings.ts';
import { lostCharacters } from './xml-text.ts';
import { readThemeColors } from './xlsx-colors.ts';
import { readProperties } from './xlsx-properties.ts';
import { readStyles, type FileStyles } from './xlsx-styles.ts';
import { readTable, withTableFilter } from './xlsx-tables.ts';
import { readWorkbookPart, type SheetElement, type WorkbookElements } from './xlsx-workbook.ts';
import type { ZipEntries } from './zip-entries.ts';

export interface ReadOptions {
  /** True to keep the cached values of formulas, for tests. */
  readonly keepValues?: boolean;
  /** Returns whether the kernel can read a formula (with its `=`). */
  readonly acceptsFormula?: (formula: string) => boolean;
}

/** Reads an .xlsx or .xlsm file; every failure is a FileProblem. */
export function readXlsx(bytes: Uint8Array, options: ReadOptions = {}): ImportedWorkbook {
  const zip = openPackage(bytes);
  return new WorkbookImport(zip, options).read();
}

/** Position of a sheet in the file. */
interface SheetPlace {
  /** Relationships of the workbook part. */
  readonly links: readonly Relationship[];
  readonly context: SheetContext;
  /** Name of the worksheet before it. */
  readonly after: string | undefined;
}

class WorkbookImport {
  readonly #zip: ZipEntries;
  readonly #options: ReadOptions;
  readonly #dropped = new DroppedList();
  readonly #pool = new WorkbookPool(new FormulaTable());
  readonly #tables: ImportedTable[] = [];
  readonly #kept: KeptReader;

  constructor(zip: ZipEntries, options: ReadOptions) {
    this.#zip = zip;
    this.#options = options;
    this.#kept = new KeptReader(zip, this.#dropped);
  }

  read(): ImportedWorkbook {
    const part = workbookPart(this.#zip);
    const links = relationships(this.#zip, part);
    const workbook = readWorkbookPart(this.#zip, part);
    const fileSheets = workbook.sheets.map(({ name }) => name);
    const externalNames = new ExternalNames(workbook.names, fileSheets);
    const context = { ...this.#sheetContext(workbook, links), externalNames };
    const found: ImportedSheet[] = [];
    // Scopes of names count all sheets, including those that are not kept.
    const sheetNames: (string | undefined)[] = [];
    for (const element of workbook.sheets) {
      const sheet = this.#readSheet(element, { links, context, after: found.at(-1)?.name });
      sheetNames.push(sheet?.name);
      if (sheet !== undefined) found.push(sheet);
    }
    const names = importNames(workbook.names, {
      sheetNames,
      externalNames,
      dropped: this.#dropped,
    });
    this.#dropWorkbook(workbook);
    dropParts(this.#zip.names(), this.#kept.names, this.#dropped);
    const kept = this.#kept.finish(found.map(({ name }) => name));
    const settings = {
      ...this.#settings(workbook, links),
      ...(kept && { 'file.parts': kept.name }),
    };
    const look = { styles: context.named, settings };
    const dropped = this.#dropped.lines();
    const sheets = this.#withOneSheet(kept ? found.map(withFileName) : found);
    const { date1904 } = workbook;
    const content = { date1904, sheets, names, tables: this.#tables, look, dropped };
    return { ...content, ...(kept && { archive: kept }) };
  }

  /** Adds an empty sheet to a file of chart sheets only: a workbook needs one with cells. */
  #withOneSheet(sheets: readonly ImportedSheet[]): readonly ImportedSheet[] {
    if (sheets.length > 0) return sheets;
    const taken = new Set(this.#kept.chartSheetNames.map((name) => name.toLowerCase()));
    let number = 1;
    while (taken.has(`sheet${number}`)) number++;
    const content = new SheetCells(this.#pool, this.#options.keepValues);
    content.settle();
    return [{ name: `Sheet${number}`, content, look: plainLook }];
  }

  /** Returns the settings of the workbook, which are in several parts. */
  #settings(workbook: WorkbookElements, links: readonly Relationship[]): WorkbookSettings {
    const theme = links.find(({ type }) => type === 'theme')?.target;
    const hasTheme = theme !== undefined && this.#zip.has(theme);
    const colors = this.#optional('theme', () =>
      hasTheme ? readThemeColors(this.#zip, theme) : undefined,
    );
    const isOwn = colors !== undefined && colors !== settingDefaults['theme.colors'];
    return {
      ...workbook.settings,
      ...this.#optional('document properties', () => readProperties(this.#zip)),
      ...(isOwn && { 'theme.colors': colors }),
    };
  }

  /** Reads a part that may be damaged without failing the import. */
  #optional<Content>(what: string, read: () => Content): Content | undefined {
    try {
      return read();
    } catch (problem) {
      if (!(problem instanceof FileProblem) || problem.code !== 'file_broken') throw problem;
      this.#dropped.add(what, problem.message);
      return undefined;
    }
  }

  #readStrings(part: string): void {
    const { richCount, lostCount } = readSharedStrings(this.#zip, part, this.#pool);
    const why = 'the text is kept, its fonts are not';
    if (richCount > 0) this.#dropped.add('rich text', why, { count: richCount });
    if (lostCount > 0) this.#dropped.add(...lostCharacters, { count: lostCount });
  }

  #sheetContext(workbook: WorkbookElements, links: readonly Relationship[]) {
    const zip = this.#zip;
    const partOf = (type: string): string | undefined => {
      const target = links.find((link) => link.type === type && !link.isExternal)?.target;
      return target !== undefined && zip.has(target) ? target : undefined;
    };
    const strings = partOf('sharedStrings');
    if (strings !== undefined) this.#readStrings(strings);
    const sharedStringCount = this.#pool.strings.length;
    const styles = partOf('styles');
    const metadata = partOf('sheetMetadata');
    const { cellStyle, named } = this.#styles(styles);
    const context: Omit<SheetContext, 'externalNames'> = {
      date1904: workbook.date1904,
      renames: workbook.renames,
      styles: new CellFormats(this.#pool, cellStyle),
      formatStyles: styles === undefined ? [] : readFormatStyles(zip, styles),
      dynamicMarks: metadata === undefined ? new Set() : readDynamicMarks(zip, metadata),
      richErrors: this.#richErrors(metadata, links),
      sharedStringCount,
      dropped: this.#dropped,
      acceptsFormula: this.#options.acceptsFormula,
    };
    return { ...context, named };
  }

  #richErrors(metadata: string | undefined, links: readonly Relationship[]) {
    if (metadata === undefined) return noRichErrors.marks;
    const { marks, otherCount } = readRichErrors(this.#zip, links, metadata);
    const why = 'of linked data types the text is kept';
    if (otherCount > 0) this.#dropped.add('rich values', why, { count: otherCount });
    return marks;
  }

  #styles(part: string | undefined): Pick<FileStyles, 'cellStyle' | 'named'> {
    if (part === undefined) return { cellStyle: () => plainStyle, named: [] };
    const styles = readStyles(this.#zip, part);
    const { gradientCount, surplusCount } = styles;
    if (gradientCount > 0) {
      const why = 'the first of their colours is kept';
      this.#dropped.add('gradient fills', why, { count: gradientCount });
    }
    if (surplusCount > 0) {
      const why = `a workbook has at most ${operationLimits.styleCount} of them`;
      this.#dropped.add('named styles', why, { count: surplusCount });
    }
    return styles;
  }

  #readSheet(
    element: SheetElement,
    { links, context, after }: SheetPlace,
  ): ImportedSheet | undefined {
    const { name, hidden } = element;
    const link = links.find(({ id }) => id === element.relationshipId);
    if (link?.type === 'chartsheet') {
      const state = hidden === true ? 'hidden' : (hidden ?? false);
      this.#kept.addChartSheet({ name, hidden: state, after: after ?? null }, link.target);
      return undefined;
    }
    if (link === undefined || link.type !== 'worksheet') {
      const what = link === undefined ? 'sheet without content' : `${link.type} sheet`;
      this.#dropped.add(what, 'only worksheets are kept', { where: name });
      return undefined;
    }
    const content = new SheetCells(this.#pool, this.#options.keepValues);
    if (!this.#zip.has(link.target)) {
      const why = 'the file has no part for them; the sheet is empty';
      this.#dropped.add('cells', why, { where: name });
      content.settle();
      return { name, content, look: plainLook };
    }
    const own = this.#presentLinks(name, link.target);
    // A formula within a table is read as it shows there.
    const read = this.#readTables(own, name, context);
    const tables = read.map(({ table }) => table);
    const target = { part: link.target, name, content, hidden, links: own, tables };
    const { look, records } = readSheet(this.#zip, target, context);
    this.#kept.addDrawing(name, own);
    const people = readPeople(this.#zip, links);
    const { dropped } = context;
    const talk = readComments({ zip: this.#zip, links: own, sheet: name, people, dropped });
    const place = { sheet: name, dropped };
    const lying = [...withTableFilter(records, read, place), ...talk];
    const kept = mergesApart(lying, tables);
    const lost = lying.length - kept.length;
    const why = 'they overlap, or lie on a table';
    if (lost > 0) dropped.add('merged cells', why, { where: name, count: lost });
    return { name, content, look, records: kept };
  }

  /** Links of a sheet, but for those to parts with content of it that the file has not got. */
  #presentLinks(sheet: string, part: string): Relationship[] {
    return relationships(this.#zip, part).filter(({ type, target, isExternal }) => {
      if (isExternal || !readParts.has(type) || this.#zip.has(target)) return true;
      this.#dropped.add(`part of type ${type}`, 'the file has not got it', { where: sheet });
      return false;
    });
  }

  #readTables(
    links: readonly Relationship[],
    sheet: string,
    { formatStyles, dropped }: SheetContext,
  ) {
    const place = { sheet, dropped, formatStyles };
    const tables = links
      .filter(({ type }) => type === 'table')
      .map(({ target }) => readTable(this.#zip, target, place));
    this.#tables.push(...tables.map(({ table }) => table));
    return tables;
  }

  #dropWorkbook(workbook: WorkbookElements): void {
    for (const { now, why } of workbook.renames.changes) {
      this.#dropped.add('sheet name', why, { where: now });
    }
    if (workbook.isPrecisionAsShown) {
      this.#dropped.add('precision as shown', 'Quire calculates with what cells hold');
    }
    if (workbook.isProtected) this.#dropped.add('workbook protection', 'protection is not kept');
  }
}

/** Types of parts that are read with a sheet. */
const readParts: ReadonlySet<string> = new Set(['table', 'comments', 'threadedComment', 'drawing']);

function withFileName(sheet: ImportedSheet): ImportedSheet {
  const properties = { ...sheet.look.properties, fileSheet: sheet.name };
  return { ...sheet, look: { ...sheet.look, properties } };
}
