import type { DroppedList } from './imported-workbook.ts';
import { lostCharacters } from './xml-text.ts';

const layout = 'layout is not kept';
const objects = 'only cells are kept';

/** Elements outside of cells that each stand for one lost thing, by name. */
const countedElements: Readonly<Record<string, readonly [what: string, why: string]>> = {
  sortState: ['sort order', 'the cells are kept in the order they have'],
  pane: ['split panes', layout],
  brk: ['page breaks', layout],
  pageSetup: ['page setup', layout],
  picture: ['background picture', objects],
  oleObject: ['embedded objects', objects],
  control: ['form controls', objects],
  sparkline: ['sparklines', objects],
  scenario: ['scenarios', 'what-if scenarios are not kept'],
};

/** Counts the losses of one sheet while its elements stream by. */
export class SheetLosses {
  readonly #sheet: string;
  readonly #dropped: DroppedList;
  richTextCount = 0;
  longTextCount = 0;
  wrongNumberCount = 0;
  missingTextCount = 0;
  lostCharacterCount = 0;

  constructor(sheet: string, dropped: DroppedList) {
    this.#sheet = sheet;
    this.#dropped = dropped;
  }

  see(name: string): void {
    if (!Object.hasOwn(countedElements, name)) return;
    const [what, why] = countedElements[name] ?? ['', ''];
    this.#dropped.add(what, why, { where: this.#sheet });
  }

  finish(): void {
    this.#add('rich text', 'the text is kept, its fonts are not', this.richTextCount);
    this.#add('long texts', 'a cell holds at most 32,767 characters', this.longTextCount);
    this.#add('texts', 'the file has not got them; their cells are blank', this.missingTextCount);
    this.#add('numbers that are none', 'they are kept as text', this.wrongNumberCount);
    this.#add(...lostCharacters, this.lostCharacterCount);
  }

  #add(what: string, why: string, count: number): void {
    if (count > 0) this.#dropped.add(what, why, { where: this.#sheet, count });
  }
}
