import { foldName } from '../../server/model/names.ts';
import {
  sameSetting,
  settingDefaults,
  settingFault,
  type SettingPath,
} from '../../server/model/settings.ts';
import type { SheetProperties } from '../../server/model/sheet-properties.ts';
import { brokenFile, tooLargeFile } from './file-problem.ts';
import { fileLimits } from './file-limits.ts';
import type { WorkbookSettings } from './sheet-look.ts';
import { SheetRenames } from './sheet-renames.ts';
import type { NameElement } from './xlsx-names.ts';
import { decodeEscapes } from './xml-text.ts';
import {
  isTrue,
  prefixedAttribute,
  readXml,
  type XmlAttributes,
  type XmlConsumer,
} from './xml-reader.ts';
import type { ZipEntries } from './zip-entries.ts';

export interface SheetElement {
  readonly name: string;
  readonly hidden: SheetProperties['hidden'];
  readonly relationshipId: string;
}

/** Content of the workbook part. */
export interface WorkbookElements {
  /** Sheets by the names that they get, and what these were. */
  readonly sheets: readonly SheetElement[];
  readonly renames: SheetRenames;
  readonly names: readonly NameElement[];
  readonly date1904: boolean;
  /** Calculation options, as settings. */
  readonly settings: WorkbookSettings;
  /**
   * True when the workbook calculates with displayed values, or is protected; neither is imported.
   */
  readonly isPrecisionAsShown: boolean;
  readonly isProtected: boolean;
}

export function readWorkbookPart(zip: ZipEntries, part: string): WorkbookElements {
  const reader = new WorkbookReader();
  readXml(zip, part, reader);
  if (reader.sheets.length === 0) throw brokenFile('the workbook has no sheets');
  if (reader.sheets.length > fileLimits.sheetCount) {
    throw tooLargeFile(`more than ${fileLimits.sheetCount} sheets`);
  }
  reader.finish();
  return reader;
}

/**
 * Returns whether a protection locks anything: LibreOffice and openpyxl write one that does not
 * into every file.
 */
function locksAnything({ lockStructure, lockWindows, lockRevision }: XmlAttributes): boolean {
  return [lockStructure, lockWindows, lockRevision].some(isTrue);
}

class WorkbookReader implements XmlConsumer, WorkbookElements {
  sheets: SheetElement[] = [];
  names: NameElement[] = [];
  readonly renames = new SheetRenames();
  date1904 = false;
  readonly settings: Record<string, string | number | boolean> = {};
  isPrecisionAsShown = false;
  isProtected = false;
  /** Attributes of the current definedName, and its text so far. */
  #name: XmlAttributes | undefined;
  #nameText = '';
  readonly #names = new Set<string>();

  open(name: string, attributes: XmlAttributes, depth: number): void {
    if (depth === 2 && name === 'workbookPr') this.date1904 = isTrue(attributes['date1904']);
    if (depth === 2 && name === 'calcPr') this.#readCalculation(attributes);
    if (depth === 2 && name === 'workbookProtection') this.isProtected = locksAnything(attributes);
    if (depth !== 3) return;
    if (name === 'sheet') this.#addSheet(attributes);
    if (name === 'definedName') {
      this.#name = attributes;
      this.#nameText = '';
    }
  }

  text(text: string): void {
    if (this.#name !== undefined) this.#nameText += text;
  }

  close(name: string, depth: number): void {
    if (depth !== 3 || name !== 'definedName' || this.#name === undefined) return;
    this.names.push({ attributes: this.#name, text: this.#nameText });
    this.#name = undefined;
  }

  /** Gives sheets names that can be, once it is known which ones are taken. */
  finish(): void {
    const isTaken = (one: string) => this.#names.has(foldName(one));
    const met = new Set<string>();
    this.sheets = this.sheets.map((sheet) => {
      const isFirst = !met.has(foldName(sheet.name));
      met.add(foldName(sheet.name));
      const name = isFirst
        ? this.renames.nameFor(sheet.name, isTaken)
        : this.renames.secondName(sheet.name, isTaken);
      this.#names.add(foldName(name));
      return { ...sheet, name };
    });
    this.names = this.names.map(({ attributes, text }) => {
      return { attributes, text: this.renames.respell(text) };
    });
  }

  #addSheet(attributes: XmlAttributes): void {
    const name = decodeEscapes(attributes['name'] ?? '');
    this.#names.add(foldName(name));
    const state = attributes['state'] ?? 'visible';
    const relationshipId = prefixedAttribute(attributes, 'id') ?? '';
    const isVery = state === 'veryHidden';
    const hidden = isVery ? 'veryHidden' : state === 'hidden';
    this.sheets.push({ name, hidden, relationshipId });
  }

  #readCalculation(attributes: XmlAttributes): void {
    const { settings } = this;
    const { calcMode = 'auto', iterateCount, iterateDelta, fullPrecision } = attributes;
    const add = (path: SettingPath, value: string | number | boolean) => {
      const isFit = settingFault(path, value) === undefined;
      if (isFit && !sameSetting(value, settingDefaults[path])) settings[path] = value;
    };
    add('calcMode', calcMode);
    add('iteration.enabled', isTrue(attributes['iterate']));
    if (iterateCount !== undefined) add('iteration.maxCount', Number(iterateCount));
    if (iterateDelta !== undefined) add('iteration.maxChange', Number(iterateDelta));
    this.isPrecisionAsShown = fullPrecision === '0';
  }
}
