import type { Address } from '../../../server/model/address.ts';
import type { Range } from '../../../server/model/range.ts';
import type { FormulaAssist } from '../formula/assist.ts';
import type { Vocabulary } from '../formula/completion.ts';
import type { Pasted } from './clipboard.ts';
import type { Arrow } from './edge.ts';
import type { Typed } from './editor.ts';
import type { Axis } from './geometry.ts';
import type { Pieces } from './pieces.ts';
import type { Selection } from './selection.ts';
import type { Pressed } from './typed-key.ts';

export interface GridShape {
  readonly rows: Axis;
  readonly columns: Axis;
  readonly frozenRows: number;
  readonly frozenColumns: number;
  readonly hasGridlines: boolean;
  /** True where columns run from right to left: all pixels of a sheet are from their first one. */
  readonly isMirrored?: boolean;
  /** The size of cells in parts of their usual one; 1 where it is left out. */
  readonly zoom?: number;
  /** The cells that hold anything. */
  readonly used: Range;
  /** Returns whether somebody has set the height of a row; without it heights are not fitted. */
  readonly isRowSet?: (row: number) => boolean;
  /** Areas that are one cell each, as they are now. */
  readonly merged?: readonly Range[] | undefined;
}

export interface GridEvents {
  readonly onSelect: (selection: Selection) => void;
  /** An input was typed into a cell of a sheet, which is that in view where none is named. */
  readonly onEdit: (at: Address, input: string, sheetId?: string) => void;
  /** The sheet that is shown, where there are several. */
  readonly sheet?: () => ShownSheet | undefined;
  /** Leads back to the sheet for which something was typed elsewhere. */
  readonly onReturn?: (sheetId: string | undefined) => Promise<unknown>;
  readonly onClear?: (ranges: readonly Range[]) => void;
  /** Takes a block; where its cells have to be loaded first, answers when it is done. */
  readonly onPaste?: (range: Range, pasted: PastedAs) => Promise<void> | undefined;
  /** Cells are copied or cut; returns what others read who paste them into a grid. */
  readonly onCopy?: (pieces: Pieces, isCut: boolean) => string;
  /** The text of the cells that were copied last. */
  readonly onCopied?: (text: string) => void;
  /** Loads texts of cells, as they are shown. */
  readonly loadTexts?: (range: Range) => Promise<readonly (readonly string[])[]>;
  /** Words for formulas; without them none are offered. */
  readonly vocabulary?: (onMore: () => void) => Vocabulary;
  /** The text being typed into the active cell; undefined when nothing is any more. */
  readonly onText?: (typed: Typed | undefined) => void;
  /** A field elsewhere that takes cells that are pointed at. */
  readonly pointing?: () => PointingField | undefined;
  /** A menu is asked for, at a place of the window in pixels. */
  readonly onContext?: (at: { readonly x: number; readonly y: number }) => void;
  /** Returns the note of a cell; an empty text where it has none. */
  readonly noteOf?: (cell: Address) => string;
  /** A sentence for whoever is at the grid. */
  readonly onTell?: (sentence: string) => void;
  /** Cells have another size. */
  readonly onZoom?: (zoom: number) => void;
  readonly onUndo?: (isRedo: boolean) => void;
  /** Lines get a size in pixels; undefined asks for one that fits. */
  readonly onResize?: (lines: 'rows' | 'columns', index: number, px: number) => void;
  /** The filter of the active cell's column is asked for. */
  readonly onFilter?: () => void;
  readonly onFill?: (source: Range, target: Range) => void;
  /** All cells of a range are to be as one of them. */
  readonly onRepeat?: (of: Address, range: Range, sheetId?: string) => void;
  /** A text that was being typed into a cell that is gone. */
  readonly onLost?: (at: Address, text: string) => void;
  /** A key that the grid has no use for: whether somebody took it, or when it is done. */
  readonly onKey?: (pressed: Pressed) => boolean | Promise<unknown>;
  /** Asks for the cell where Ctrl and an arrow lead over cells that are not loaded. */
  readonly edgeOf?: (from: Address, arrow: Arrow, signal: AbortSignal) => Promise<Address>;
  /** Returns the text to edit of a cell, once it is known. */
  readonly inputOf: (at: Address) => string | Promise<string>;
  /** Says why nothing can be typed; undefined where it can. */
  readonly lockedBecause: () => string | undefined;
}

/** A sheet by its id, which stays, and the name that formulas have for it. */
export interface ShownSheet {
  readonly id: string;
  readonly name: string;
}

/** A field outside of the grid into which a formula is being typed. */
export interface PointingField extends Pick<FormulaAssist, 'canPoint' | 'point'> {
  /** The sheet for which it is typed; undefined for the one that is shown. */
  readonly sheet: ShownSheet | undefined;
  focus(): void;
  /** Enters what was typed, because somebody goes elsewhere. */
  commit(): void;
}

/** A block from the clipboard, and whether its values alone are wanted. */
export interface PastedAs extends Pasted {
  readonly isPlain: boolean;
}
