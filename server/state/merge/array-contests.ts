import { writeInput } from '../../model/input.ts';
import { cellTag } from '../cells/block.ts';
import { blankCell, sameLane } from '../cells/cell-coding.ts';
import { carriedInput, cellIn, sameCell, sideAt } from '../compare/same-lanes.ts';
import { lineText } from '../structure/area.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { choiceOf, isTheirs, placeText, type ContestedCell } from './contested-cell.ts';
import type { ContestedParts } from './granularity.ts';
import type { Choice, Side } from './judge.ts';
import { restoredFormula, restoreFormulas } from './lost-cells.ts';
import { isUnwritten } from './merged-references.ts';
import { isLeft, stateOf, type Merging } from './merging.ts';
import { isSingle, placeAt, SideCells, spotText, type Spot } from './side-cells.ts';
import type { WantedCells } from './wanted-cells.ts';

// A legacy array formula fills a block of cells, so an array of one side and a cell of the other
// that lies in it cannot both stay. Contents that overlap, directly or through others, form one
// contest and all come from one side.

type Meeting = readonly [ours: Spot, theirs: Spot];

/** A cell with a conflict, and the cell in which theirs wrote what overlaps it. */
interface AskedSpot {
  readonly spot: Spot;
  readonly change: Spot;
}

/** Contents of both sides that overlap, and their conflicts. */
interface ArrayContest {
  readonly spots: readonly Spot[];
  readonly asked: readonly AskedSpot[];
  isSettled: boolean;
}

/** Finds the overlaps on one sheet; undefined when neither side has an array there. */
export function* arrayContests(
  merging: Merging,
  sheet: SheetOutline,
  parts: ContestedParts | undefined,
): Generator<void, ArrayContests | undefined> {
  const state = stateOf(merging);
  const [ours, theirs] = [merging.ours, merging.theirs].map(
    (side) => new SideCells(side, sheet, state.structure),
  );
  if (!ours || !theirs) return undefined;
  for (const side of [ours, theirs]) yield* side.readArrays();
  if (!state.coding.dictionary.largestArray) return undefined;
  for (const side of [ours, theirs]) yield* side.findArrays();
  if (!ours.hasArrays && !theirs.hasArrays) return undefined;
  return new ArrayContests(merging, { sheet, parts, ours, theirs });
}

interface Sheets {
  readonly sheet: SheetOutline;
  readonly parts: ContestedParts | undefined;
  readonly ours: SideCells;
  readonly theirs: SideCells;
}

export class ArrayContests {
  readonly #merging: Merging;
  readonly #of: Sheets;
  /**
   * Contests by the text of each of their cells; undefined for cells that were looked at and have
   * none.
   */
  readonly #known = new Map<string, ArrayContest | undefined>();

  constructor(merging: Merging, of: Sheets) {
    this.#merging = merging;
    this.#of = of;
  }

  /** Writes array formulas of ours again when rows or columns came or went inside their blocks. */
  *tellResized(wanted: WantedCells): Generator<void, void> {
    const { sheet, ours } = this.#of;
    const resized = ours.resized.filter((spot) => !wanted.has(sheet, spot));
    const told = resized.flatMap((spot) => {
      const place = placeAt(sheet, spot);
      // The merged state, not ours, has the ends of a block whose last row is gone.
      const state = stateOf(this.#merging);
      const { tag, number } = cellIn(state, place);
      return tag === cellTag.formula ? restoredFormula(state, number, place) : [];
    });
    yield* restoreFormulas(this.#merging, sheet.id, told);
  }

  /** Decides the contest that a cell belongs to; returns false when it belongs to none. */
  settle(spot: Spot, wanted: WantedCells): boolean {
    const contest = this.#around(spot);
    if (!contest) return false;
    if (!contest.isSettled) this.#decide(contest, wanted);
    contest.isSettled = true;
    return true;
  }

  #decide({ spots, asked }: ArrayContest, wanted: WantedCells): void {
    const { sheet } = this.#of;
    const choices = asked.map((one) => this.#choiceOf(one));
    if (choices.every(({ cell, choice }) => isTheirs(choice, cell))) {
      for (const spot of spots) {
        const { ours, theirs, place } = this.#cellAt(spot);
        this.#merging.chosen.add(placeText(place));
        // A change out of the scope is left out, and its cell must make room for an array of
        // theirs.
        if (this.#theirSide(spot) === this.#of.ours) wanted.add(sheet, spot, blankCell);
        else if (!sameCell(ours, theirs, place)) wanted.add(sheet, spot, theirs.cell);
      }
      return;
    }
    for (const { cell, choice } of choices) {
      if (choice === 'base') {
        const input = carriedInput(cell.base, stateOf(this.#merging), cell.place);
        this.#write(cell, writeInput(input), wanted);
      } else if (typeof choice === 'object' && 'input' in choice) {
        this.#write(cell, choice.input, wanted);
      }
    }
  }

  #choiceOf({ spot, change }: AskedSpot): { cell: ContestedCell; choice: Choice } {
    const { sheet, theirs } = this.#of;
    const cell = this.#cellAt(spot);
    if (spotText(spot) === spotText(change)) return { cell, choice: choiceOf(this.#merging, cell) };
    const reached = { ...cell, theirs: theirs.at(spot) };
    const choice = choiceOf(this.#merging, reached, placeAt(sheet, change));
    return { cell: reached, choice };
  }

  /** Writes an input and clears the arrays of ours that fill its cell. */
  #write({ at }: ContestedCell, input: Parameters<WantedCells['write']>[2], wanted: WantedCells) {
    const { sheet, ours } = this.#of;
    const own = { row0: at.row, row1: at.row, column0: at.column, column1: at.column };
    for (const spot of ours.filling(own)) {
      if (spotText(spot) !== spotText(at)) wanted.add(sheet, spot, blankCell);
    }
    wanted.write(sheet, at, input);
  }

  #around(spot: Spot): ArrayContest | undefined {
    const text = spotText(spot);
    if (!this.#known.has(text)) this.#gather(spot);
    return this.#known.get(text);
  }

  /** Collects everything that overlaps with a cell, directly or through others. */
  #gather(start: Spot): void {
    const spots = new Map([[spotText(start), start]]);
    const asked = new Map<string, AskedSpot>();
    for (const spot of spots.values()) {
      const meetings = [...this.#meetings(spot)];
      for (const other of meetings.flat()) {
        if (!spots.has(spotText(other))) spots.set(spotText(other), other);
      }
      for (const one of this.#askedOf(spot, meetings)) {
        const text = spotText(one.spot);
        asked.set(text, asked.get(text) ?? one);
      }
    }
    const isContest = spots.size > 1 && asked.size > 0;
    const byPlace = ({ spot: a }: AskedSpot, { spot: b }: AskedSpot) =>
      a.column - b.column || a.row - b.row;
    const contest = isContest
      ? {
          spots: [...spots.values()],
          asked: [...asked.values()].toSorted(byPlace),
          isSettled: false,
        }
      : undefined;
    for (const text of spots.keys()) this.#known.set(text, contest);
  }

  /** Yields the conflicts of a cell itself and of each overlap that it is part of. */
  *#askedOf(spot: Spot, meetings: readonly Meeting[]): Generator<AskedSpot> {
    if (this.#isAsked(spot)) yield { spot, change: spot };
    for (const [mine, yours] of meetings) {
      const register = this.#registerOf(mine, yours);
      if (register) yield { spot: register, change: yours };
    }
  }

  /**
   * Yields the overlaps of a cell: pairs of a content of ours and one of theirs, one of them in the
   * cell.
   */
  *#meetings(spot: Spot): Generator<Meeting> {
    const { ours, theirs } = this.#of;
    const [mine, yours] = [ours.extent(spot), this.#theirSide(spot).extent(spot)];
    for (const other of yours ? ours.filling(yours) : []) yield [other, spot];
    if (!mine) return;
    for (const other of theirs.filling(mine)) {
      if (this.#theirSide(other) === theirs) yield [spot, other];
    }
  }

  /** Returns theirs, or ours for a cell whose change is out of the scope. */
  #theirSide(spot: Spot): SideCells {
    const { sheet, ours, theirs } = this.#of;
    const place = placeAt(sheet, spot);
    return isLeft(this.#merging, { kind: 'cell.input', place }) ? ours : theirs;
  }

  /**
   * The cell that names the conflict of an overlap; undefined when a side did not write its part.
   */
  #registerOf(mine: Spot, yours: Spot): Spot | undefined {
    if (spotText(mine) === spotText(yours)) return undefined;
    if (!this.#hasWritten(mine, 'ours') || !this.#hasWritten(yours, 'theirs')) return undefined;
    const { ours, theirs, sheet } = this.#of;
    const covers = (side: SideCells, first: Spot, other: Spot) => {
      const range = side.extent(first);
      if (!range || isSingle(range)) return false;
      const { row, column } = other;
      const isDown = row >= range.row0 && row <= range.row1;
      return isDown && column >= range.column0 && column <= range.column1;
    };
    if (covers(ours, mine, yours)) return yours;
    if (covers(theirs, yours, mine)) return mine;
    const textOf = (spot: Spot) => {
      const { row, column } = placeAt(sheet, spot);
      return `${lineText(row)} ${lineText(column)}`;
    };
    return textOf(mine) < textOf(yours) ? mine : yours;
  }

  /**
   * Returns whether a cell is a conflict by itself: both sides wrote to it, or to its row, block,
   * table or sheet under a coarser granularity, and it differs.
   */
  #isAsked(spot: Spot): boolean {
    const { ours, theirs, place } = this.#cellAt(spot);
    if (sameCell(ours, theirs, place)) return false;
    if (this.#of.parts?.hasAny(place) === true) return true;
    return this.#hasWritten(spot, 'ours') && this.#hasWritten(spot, 'theirs');
  }

  #hasWritten(spot: Spot, side: Side): boolean {
    const { base, place, ...sides } = this.#cellAt(spot);
    const is = sides[side];
    if (sameLane(base.cell, is.cell)) return false;
    return !sameCell(base, is, place) && !isUnwritten(base, is, place);
  }

  #cellAt(spot: Spot): ContestedCell {
    const { sheet, ours } = this.#of;
    const place = placeAt(sheet, spot);
    const { base } = this.#merging;
    const theirs = this.#theirSide(spot).at(spot);
    return { sheet, place, at: spot, base: sideAt(base, place), ours: ours.at(spot), theirs };
  }
}
