import type { Address } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';
import type { FormulaAssist } from '../formula/assist.ts';
import type { Vocabulary } from '../formula/completion.ts';
import type { Pasted } from './clipboard.ts';
import type { Arrow } from './edge.ts';
import type { Typed } from './editor.ts';
import type { Axis } from './geometry.ts';
import type { LevelRun, LineGroup } from './outline.ts';
import type { Pieces } from './pieces.ts';
import type { LineResize } from './pointer.ts';
import type { Selection } from './selection.ts';
import type { Pressed } from './typed-key.ts';

export interface GridShape {
  readonly rows: Axis;
  readonly columns: Axis;
  readonly frozenRows: number;
  readonly frozenColumns: number;
  readonly hasGridlines: boolean;
  /** True when columns run from right to left: pixels are counted from the first column. */
  readonly isMirrored?: boolean;
  /** Lines in the outline of the sheet. */
  readonly levels?: Readonly<Record<'rows' | 'columns', readonly LevelRun[]>>;
  /** Groups of the outline, which are folded by a sign in a header. */
  readonly groups?: Readonly<Record<'rows' | 'columns', readonly LineGroup[]>>;
  /** Zoom factor of the cells; 1 by default. */
  readonly zoom?: number;
  /** The cells that hold anything. */
  readonly used: Range;
  /** Returns whether somebody has set the height of a row; if undefined, heights are not fitted. */
  readonly isRowSet?: (row: number) => boolean;
  /** Merged areas. */
  readonly merged?: readonly Range[] | undefined;
}

export interface GridEvents {
  readonly onSelect: (selection: Selection) => void;
  /** Called with an input for a cell of a sheet, by default the one in view. */
  readonly onEdit: (at: Address, input: string, sheetId?: string) => void;
  /** Returns the shown sheet, if there are several. */
  readonly sheet?: () => ShownSheet | undefined;
  /** Shows the sheet again for which something was typed. */
  readonly onReturn?: (sheetId: string | undefined) => Promise<unknown>;
  readonly onClear?: (ranges: readonly Range[]) => void;
  /** Pastes a block; returns a promise if its cells have to be loaded first. */
  readonly onPaste?: (range: Range, pasted: PastedAs) => Promise<void> | undefined;
  /** Called when cells are copied or cut; returns their mark for the clipboard. */
  readonly onCopy?: (pieces: Pieces, isCut: boolean) => string;
  /** Called with the text of the copied cells. */
  readonly onCopied?: (text: string) => void;
  /** Loads cells as texts. */
  readonly loadTexts?: (range: Range) => Promise<readonly (readonly string[])[]>;
  /** Returns words for formulas; if undefined, none are offered. */
  readonly vocabulary?: (onMore: () => void) => Vocabulary;
  /** Called with the text being typed into the active cell; undefined when typing ends. */
  readonly onText?: (typed: Typed | undefined) => void;
  /** Returns another field that takes references by pointing. */
  readonly pointing?: () => PointingField | undefined;
  /** Called when a menu is requested, with a place in pixels of the window. */
  readonly onContext?: (at: { readonly x: number; readonly y: number }) => void;
  /** Returns the note of a cell; an empty text where it has none. */
  readonly noteOf?: (cell: Address) => string;
  /** Called with a sentence for the person at the grid. */
  readonly onTell?: (sentence: string) => void;
  /** Called when the zoom factor changes. */
  readonly onZoom?: (zoom: number) => void;
  readonly onUndo?: (isRedo: boolean) => void;
  /** Called when lines get a size in pixels. */
  readonly onResize?: LineResize;
  /** Called when a group of lines is folded away, or shown again. */
  readonly onFold?: (lines: 'rows' | 'columns', group: LineGroup) => void;
  /** Called when the filter of the active cell's column is requested. */
  readonly onFilter?: () => void;
  readonly onFill?: (source: Range, target: Range) => void;
  /** Called to give all cells of a range the content of one of them. */
  readonly onRepeat?: (of: Address, range: Range, sheetId?: string) => void;
  /** Called with a text whose cell was deleted while it was typed. */
  readonly onLost?: (at: Address, text: string) => void;
  /**
   * Called with a key that the grid does not use; returns whether it was handled, or when it is.
   */
  readonly onKey?: (pressed: Pressed) => boolean | Promise<unknown>;
  /** Finds the cell that Ctrl and an arrow key lead to, over cells that are not loaded. */
  readonly edgeOf?: (from: Address, arrow: Arrow, signal: AbortSignal) => Promise<Address>;
  /** Returns the text of a cell for editing. */
  readonly inputOf: (at: Address) => string | Promise<string>;
  /** Returns whether a cell is known to hold a formula. */
  readonly isFormula?: (at: Address) => boolean;
  /** Returns why nothing can be typed; undefined if it can. */
  readonly lockedBecause: () => string | undefined;
}

/** A sheet by its permanent id, and the name that formulas use. */
export interface ShownSheet {
  readonly id: string;
  readonly name: string;
}

/** A field outside of the grid in which a formula is being typed. */
export interface PointingField extends Pick<FormulaAssist, 'canPoint' | 'point'> {
  /** Sheet of the formula; undefined for the shown one. */
  readonly sheet: ShownSheet | undefined;
  focus(): void;
  /** Enters the typed text, because the person goes elsewhere. */
  commit(): void;
}

/** A block from the clipboard; `isPlain` pastes only values. */
export interface PastedAs extends Pasted {
  readonly isPlain: boolean;
}
