import { BranchState } from '../branch-state.ts';
import { getState, putFrame, type StateTrimmings } from '../tree/state-node.ts';
import type { DictionaryFeed } from './dictionary-feed.ts';
import type { FedDictionary } from './fed-dictionary.ts';
import { NodeList, type SentNode } from './node-list.ts';
import { ReceivedCells } from './received-cells.ts';
import {
  SharedCellsWriter,
  type FoundDigests,
  type SharedCells,
  type SharedSheet,
} from './shared-cells.ts';

interface SharedState {
  readonly branchNo: number;
  readonly trimmings: StateTrimmings;
  /** Node of the state without its cells. */
  readonly frame: Uint8Array;
  readonly sheets: readonly SharedSheet[];
}

/** States of one workbook as another thread gets them: their cells are in shared memory. */
export interface SharedStates {
  /** The dictionary of all, as far as they use it. */
  readonly pieces: readonly SharedArrayBuffer[];
  readonly cells: SharedCells;
  readonly nodes: readonly SentNode[];
  readonly states: readonly SharedState[];
}

/** States in shared memory, and the way back for what is found out about their blocks. */
interface Sharing {
  readonly shared: SharedStates;
  readonly noteDigests: (found: FoundDigests) => void;
}

/** Puts states into shared memory; what they share is there once. Nobody may change them. */
export function* shareStates(
  states: readonly BranchState[],
  feed: DictionaryFeed,
): Generator<void, Sharing> {
  const writer = new SharedCellsWriter();
  const nodes = new NodeList();
  const sent: SharedState[] = [];
  for (const state of states) {
    const sheets: SharedSheet[] = [];
    for (const sheet of state.structure.sheets) {
      sheets.push(yield* writer.add(state.cellsOf(sheet)));
    }
    const frame = yield* putFrame(nodes, state);
    const { branchNo, trimmings } = state;
    sent.push({ branchNo, trimmings, frame, sheets });
  }
  // Last, so that it has all that the cells name.
  yield* feed.catchUp();
  const shared = {
    pieces: [...feed.pieces],
    cells: writer.shared,
    nodes: nodes.takeNew(),
    states: sent,
  };
  return { shared, noteDigests: (found) => writer.noteDigests(found) };
}

/** States of another thread, and the digests that were found of their blocks since. */
export interface ReceivedStates {
  readonly states: readonly BranchState[];
  readonly foundDigests: () => FoundDigests;
}

/** Makes states of what another thread has shared. */
export function* receiveStates(
  { pieces, cells, nodes, states }: SharedStates,
  dictionary: FedDictionary,
): Generator<void, ReceivedStates> {
  dictionary.take(pieces);
  const received = new ReceivedCells(cells, dictionary);
  const source = new NodeList();
  source.add(nodes);
  const { coding } = dictionary;
  const made: BranchState[] = [];
  for (const { branchNo, trimmings, frame, sheets } of states) {
    const restored = yield* getState(source, Buffer.from(frame), {
      branchNo,
      trimmings,
      coding,
      pool: noPool,
      cellsAt: (number, sheetId, nameOf) => {
        const sheet = sheets[number];
        if (!sheet) throw new RangeError(`no cells of sheet ${number} were sent`);
        return received.cellsOf(sheet, sheetId, nameOf);
      },
    });
    made.push(BranchState.restore(restored));
  }
  return { states: made, foundDigests: () => received.foundDigests() };
}

/** Blocks are shared by their numbers. */
const noPool = { find: () => undefined, keep: () => undefined };
