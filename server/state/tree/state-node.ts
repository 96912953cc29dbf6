import type { BranchState } from '../branch-state.ts';
import type { CellCoding } from '../cells/cell-coding.ts';
import { homeOf } from '../cells/formula-identity.ts';
import { IdentityReader, type SheetNaming } from '../cells/identity-reader.ts';
import type { SheetCells } from '../cells/sheet-cells.ts';
import { Structure, type SheetOutline } from '../structure/structure.ts';
import { NodeFault, type NodeReader } from '../nodes/bytes.ts';
import { getCells, putCells, type BlockPool } from './cells-node.ts';
import {
  getList,
  openNode,
  putList,
  putNode,
  startNode,
  type ListEntry,
  type NodeSink,
  type NodeSource,
} from '../nodes/nodes.ts';
import {
  formulaForm,
  headDigest,
  type Section,
  type StateForm,
  type StoredSection,
} from '../structure/section.ts';
import { putStructure, writeOutline } from '../nodes/structure-hash.ts';
import { getStructure, readOutline } from './structure-node.ts';

/**
 * Versions of the root node: formulas are in ids since the second, several sheets since the third.
 * Formulas of records note their form themselves.
 */
const versions = { former: 1, early: 2, heads: 3, ids: 3 } as const;

/** Members of a state that are not content, and not hashed. */
export interface StateTrimmings {
  readonly head: number;
  /** Keys of the sheets in mutations, in the order of the sheets. */
  readonly sheetKeys: readonly number[];
  readonly nextSheetKey: number;
}

/**
 * Stores a state as a tree of nodes named by their SHA-256. Equal states have equal trees,
 * regardless of branch and history, and equal parts are stored once.
 */
export function putState(
  sink: NodeSink,
  state: BranchState,
  form: StateForm = 'ids',
): Generator<void, Buffer> {
  return putTree(sink, state, form, putCells);
}

/** Stands for the cells of a sheet where these are handed over in another way. */
const noCells = Buffer.alloc(32);

/** Stores a state without its cells, which `getState` is then given. */
export function putFrame(sink: NodeSink, state: BranchState): Generator<void, Buffer> {
  return putTree(sink, state, 'ids', function* () {
    yield;
    return noCells;
  });
}

function* putTree(
  sink: NodeSink,
  state: BranchState,
  form: StateForm,
  writeCells: typeof putCells,
): Generator<void, Buffer> {
  const { dictionary } = state.coding;
  const root = startNode('root');
  root.byte(versions[form]);
  const { sheets } = state.structure;
  root.count(sheets.length);
  for (const sheet of sheets) {
    const node = startNode('sheet');
    writeOutline(sink, node, sheet);
    const writing = { form: formulaForm(form), sheetId: sheet.id, dictionary };
    node.hash(yield* writeCells(sink, state.cellsOf(sheet), writing));
    root.hash(putNode(sink, 'sheet', node));
  }
  for (const section of state.sections(form)) {
    const hash = yield* putSection(sink, section);
    if (!hash) continue;
    root.text(section.name);
    root.hash(hash);
  }
  return putNode(sink, 'root', root);
}

function* putSection(sink: NodeSink, section: Section): Generator<void, Buffer | undefined> {
  if ('list' in section) {
    const list = yield* section.list();
    return list.isEmpty ? undefined : yield* list.put(sink);
  }
  for (const structure of section.structures?.() ?? []) putStructure(sink, structure);
  const entries: ListEntry[] = [];
  for (const [key, value] of section.entries()) {
    entries.push([key, Buffer.from(JSON.stringify(value))]);
    if (entries.length % 1_000 === 0) yield;
  }
  return entries.length === 0 ? undefined : putList(sink, entries);
}

/** A restored state. */
export interface RestoredState {
  readonly branchNo: number;
  readonly coding: CellCoding;
  readonly trimmings: StateTrimmings;
  /** The structure without tables. */
  readonly structure: Structure;
  readonly sheets: readonly { readonly outline: SheetOutline; readonly cells: SheetCells }[];
  readonly sections: ReadonlyMap<string, StoredSection>;
}

export interface StatePlace {
  readonly branchNo: number;
  readonly trimmings: StateTrimmings;
  readonly coding: CellCoding;
  readonly pool: BlockPool;
  /** Cells of a sheet that `putFrame` left out, by the number of the sheet. */
  readonly cellsAt?: (sheetNumber: number, sheetId: string, nameOf: SheetNaming) => SheetCells;
}

export function* getState(
  source: NodeSource,
  hash: Buffer,
  { branchNo, trimmings, coding, pool, cellsAt }: StatePlace,
): Generator<void, RestoredState> {
  const { dictionary } = coding;
  const root = openNode(source, 'root', hash);
  const version = root.byte();
  const form = version === versions.ids ? 'ids' : 'former';
  // An early state refers to sheets by former names, which only the journal can resolve.
  if (version !== versions[form]) throw new NodeFault(`a state of version ${version} is not read`);
  const sheets: { outline: SheetOutline; cells: SheetCells }[] = [];
  const names = new Map<string, string>();
  const nameOf = (id: string) => names.get(id);
  const sheetCount = root.count();
  for (let at = 0; at < sheetCount; at++) {
    const node = openNode(source, 'sheet', root.hash());
    const key = trimmings.sheetKeys[at];
    if (key === undefined) throw new NodeFault('a sheet has no key');
    const outline = { ...readOutline(source, node, dictionary), key };
    names.set(outline.id, outline.name);
    const reading = { form, sheetId: outline.id, dictionary, pool, nameOf } as const;
    const cellsHash = node.hash();
    const handed = cellsAt?.(at, outline.id, nameOf);
    const cells = handed ?? (yield* getCells(source, cellsHash, reading));
    node.end();
    sheets.push({ outline, cells });
  }
  const structure = new Structure(sheets.map(({ outline }) => outline));
  const reader = new IdentityReader(dictionary, nameOf);
  const sections = readSections(root, source, {
    structureOf: (digest) => {
      if (digest === headDigest) return structure;
      return getStructure(source, Buffer.from(digest, 'hex'), dictionary);
    },
    formulaOf: (identity, sheetId) => {
      const read = reader.read(identity, { ...homeOf(sheetId), count: 1 });
      return { formula: coding.formulas.fromR1C1(read.r1c1, 0, 0), structure: read.structure };
    },
    formulaAt: (identity, home) => reader.read(identity, { ...home, count: 1 }),
  });
  return { branchNo, coding, trimmings, structure, sheets, sections };
}

function readSections(
  root: NodeReader,
  source: NodeSource,
  reading: Omit<StoredSection, 'entries'>,
): Map<string, StoredSection> {
  const sections = new Map<string, StoredSection>();
  while (!root.isAtEnd) {
    const name = root.text();
    const entries = [...getList(source, root.hash())].map(([key, bytes]) => {
      return [key, JSON.parse(bytes.toString('utf8'))] as const;
    });
    sections.set(name, { entries, ...reading });
  }
  return sections;
}
