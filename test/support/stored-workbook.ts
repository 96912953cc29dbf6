import { readSegment, SegmentWriter, genesisHash } from '../../server/branches/segment.ts';
import type { JournalRecord } from '../../server/branches/record.ts';
import { WorkbookContent } from '../../server/history/content.ts';
import { SealedLog } from '../../server/history/sealed-log-store.ts';
import { DamageList } from '../../server/history/damage.ts';
import {
  Snapshots,
  type SnapshotIndex,
  type WrittenSnapshot,
} from '../../server/history/snapshots.ts';
import { workbookPrefix } from '../../server/history/keys.ts';
import type {
  HotRange,
  HotSegment,
  SealedEntry,
  SnapshotEntry,
  StoredBranch,
} from '../../server/maintenance/verify/sql.ts';
import { Verifier, type Verification } from '../../server/maintenance/verify/verifier.ts';
import { operationSchema, type Operation } from '../../server/model/operation.ts';
import { Rejection } from '../../server/model/rejection.ts';
import { admit } from '../../server/state/admission.ts';
import { BranchState } from '../../server/state/branch-state.ts';
import { ClientView } from '../../server/state/client-view.ts';
import { FormulaDouble } from './formula-double.ts';
import { MemoryObjects } from './memory-history.ts';
import { quickEnvironment } from './memory-journal.ts';
import { drive } from './state-driver.ts';

type Writable<Row> = { -readonly [Key in keyof Row]: Row[Key] };
export type BranchRows = Writable<Omit<StoredBranch, 'hotLastSeq' | 'sealed' | 'snapshots'>> & {
  hot: Writable<HotSegment>[];
  sealed: Writable<SealedEntry>[];
  snapshots: Writable<SnapshotEntry>[];
};

const workbookId = 'wb_01JD2Q0A0000000000000000000';
const run = async <Result>(steps: Generator<void, Result>): Promise<Result> => drive(steps);

/** One branch that is written to, with its rows. */
export class StoredBranchWriter {
  readonly rows: BranchRows;
  readonly #book: StoredWorkbook;
  #state: BranchState;
  #packs: readonly string[] = [];
  readonly #states = new Map<number, { state: BranchState; hash: Buffer }>();

  constructor(book: StoredWorkbook, rows: BranchRows, state: BranchState) {
    this.#book = book;
    this.rows = rows;
    this.#state = state;
    this.#states.set(0, { state: state.fork(), hash: rows.baseHash });
  }

  /** One segment of operations; those that are rejected are left out. */
  write(...operations: readonly { kind: string; payload: object; id?: string }[]): void {
    const { rows } = this;
    const writer = new SegmentWriter(rows.head + 1, rows.headHash);
    const before = rows.head;
    for (const { kind, payload, id = null } of operations) {
      const isCommit = kind === 'commit';
      const operation = (
        isCommit ? { kind, payload } : operationSchema.parse({ kind, payload })
      ) as Operation;
      const view = new ClientView(this.#state.structure);
      const admitted = drive(admit(this.#state, operation, { view, strict: undefined }));
      if (admitted instanceof Rejection) continue;
      const { payload: journalled, resolved } = admitted;
      rows.head = this.#state.head;
      const record = { seq: rows.head, id, writer: 'w', principalId: 'agt_1', resolved };
      const at = 1_800_000_000_000 + rows.head;
      writer.append({ ...record, kind: admitted.kind, payload: journalled, at });
      this.#states.set(rows.head, { state: this.#state.fork(), hash: writer.hash });
      if (isCommit) this.#noteCommit(journalled as { message: string; tag?: string }, writer.hash);
    }
    if (rows.head === before) return;
    const segment = writer.close();
    rows.hot.push({ ...segment, body: Buffer.from(segment.body) });
    rows.headHash = segment.hash;
  }

  #noteCommit({ message, tag }: { message: string; tag?: string }, chainHash: Buffer): void {
    const { rows } = this;
    const stateHash = Buffer.from(drive(this.#state.stateHash()), 'hex');
    const { head: seq } = rows;
    const entry = { seq, message, tag: tag ?? null, committedBy: 'agt_1', stateHash, chainHash };
    rows.commits = [...rows.commits, entry];
    if (tag !== undefined) rows.tags = [...rows.tags, { tag, seq }];
  }

  /** Puts what is not sealed yet into one object. */
  async seal(): Promise<void> {
    const { rows } = this;
    const part = rows.hot.filter(({ firstSeq }) => firstSeq > rows.sealedSeq);
    const index = { noteSealed: async () => true, sealedAt: async () => undefined };
    const log = new SealedLog({
      objects: this.#book.objects,
      table: index,
      damage: new DamageList(),
    });
    const sealed = await log.seal({ workbookId, branchNo: rows.branchNo }, part);
    if (!sealed) throw new Error('nothing was sealed');
    rows.sealed.push({ ...sealed });
    rows.sealedSeq = sealed.lastSeq;
  }

  async snapshot(): Promise<WrittenSnapshot> {
    const { rows } = this;
    const entries: SnapshotEntry[] = [];
    const table: SnapshotIndex = {
      noteSnapshot: async (_address, entry) => void entries.push(entry),
      snapshotBefore: async () => undefined,
    };
    const { objects } = this.#book;
    const snapshots = new Snapshots({ objects, table, damage: new DamageList() });
    const written = await snapshots.write(
      { workbookId, branchNo: rows.branchNo },
      {
        content: this.#book.content,
        state: this.#state,
        chainHash: rows.headHash,
        packs: this.#packs,
        run,
      },
    );
    this.#packs = written.packs;
    rows.snapshots.push(...entries.map((entry) => ({ ...entry })));
    return written;
  }

  /** A branch that begins after an operation of this one. */
  fork(name: string, seq: number): StoredBranchWriter {
    const from = this.#states.get(seq);
    if (!from) throw new Error(`there is no operation ${seq}`);
    return this.#book.begin(name, { parentNo: this.rows.branchNo, seq, ...from });
  }

  stateHash(): string {
    return drive(this.#state.stateHash());
  }
}

/** A workbook as PostgreSQL and the object store have it, made by the code that writes them. */
export class StoredWorkbook {
  readonly objects = new MemoryObjects();
  readonly content = new WorkbookContent(workbookId, new FormulaDouble());
  readonly branches: BranchRows[] = [];

  begin(
    name: string,
    from?: { parentNo: number; seq: number; state: BranchState; hash: Buffer },
  ): StoredBranchWriter {
    const branchNo = this.branches.length + 1;
    const baseHash = from?.hash ?? genesisHash;
    const rows: BranchRows = {
      branchNo,
      name,
      isDeleted: false,
      isLogged: true,
      head: 0,
      headHash: baseHash,
      sealedSeq: 0,
      parentNo: from?.parentNo ?? null,
      forkSeq: from?.seq ?? null,
      baseHash,
      hot: [],
      sealed: [],
      snapshots: [],
      commits: [],
      tags: [],
      merges: [],
      approvals: [],
    };
    this.branches.push(rows);
    const state = from?.state.branchOff(branchNo) ?? new BranchState(branchNo, this.content.coding);
    return new StoredBranchWriter(this, rows, state);
  }

  /** A copy that can be damaged without damage to this one. */
  copy(): StoredWorkbook {
    const copy = new StoredWorkbook();
    for (const [key, bytes] of this.objects.objects) copy.objects.objects.set(key, bytes);
    copy.branches.push(...structuredCloneOfRows(this.branches));
    return copy;
  }

  /** Keys without the workbook's prefix. */
  get places(): string[] {
    const prefix = workbookPrefix(workbookId);
    return [...this.objects.objects.keys()].map((key) => key.slice(prefix.length)).sort();
  }

  object(place: string): Uint8Array {
    const bytes = this.objects.objects.get(workbookPrefix(workbookId) + place);
    if (!bytes) throw new Error(`there is no ${place}`);
    return bytes;
  }

  put(place: string, bytes: Uint8Array | undefined): void {
    const key = workbookPrefix(workbookId) + place;
    if (bytes) this.objects.objects.set(key, bytes);
    else this.objects.objects.delete(key);
  }

  branch(branchNo: number): BranchRows {
    const rows = this.branches.find((branch) => branch.branchNo === branchNo);
    if (!rows) throw new Error(`there is no branch ${branchNo}`);
    return rows;
  }

  verify(branch?: string): Promise<Verification> {
    const verifier = new Verifier({
      table: {
        read: async () => this.branches.map((rows) => ({ ...rows, hotLastSeq: lastSeqOf(rows) })),
        hotSegments: async (range) => this.#page(range),
      },
      objects: this.objects,
      formulas: new FormulaDouble(),
      environment: quickEnvironment(),
    });
    return verifier.verify({ workbookId, branch });
  }

  #page({ branchNo, after, through }: HotRange): HotSegment[] {
    const { hot } = this.branch(branchNo);
    const reached = hot.filter((row) => row.lastSeq > after && row.firstSeq <= through);
    return reached.toSorted((a, b) => a.firstSeq - b.firstSeq).slice(0, 3);
  }
}

function lastSeqOf({ hot }: BranchRows): number {
  return hot.toSorted((a, b) => a.firstSeq - b.firstSeq).at(-1)?.lastSeq ?? 0;
}

function structuredCloneOfRows(branches: readonly BranchRows[]): BranchRows[] {
  const copyOf = <Row extends object>(row: Row): Row => {
    const entries = Object.entries(row).map(([key, value]: [string, unknown]) => [
      key,
      Buffer.isBuffer(value) ? Buffer.from(value) : value,
    ]);
    return Object.fromEntries(entries) as Row;
  };
  return branches.map((rows) => ({
    ...copyOf(rows),
    hot: rows.hot.map(copyOf),
    sealed: rows.sealed.map(copyOf),
    snapshots: rows.snapshots.map(copyOf),
    commits: rows.commits.map(copyOf),
    tags: rows.tags.map(copyOf),
  }));
}

/** Operations of a stored segment. */
export function recordsOf({ body, previousHash }: HotSegment): readonly JournalRecord[] {
  return readSegment(body, previousHash).records;
}
