import { makeId } from '../model/identifier.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { DroppedPart, FileEnd, KeptParts } from '../model/file-reader.ts';
import type { FormulaOrigin } from '../model/formula-service.ts';
import type { Settle } from '../model/idempotency.ts';
import type { Operation } from '../model/operation.ts';
import type { RejectionError } from '../model/rejection.ts';
import type { Principal } from '../model/scope.ts';
import type { KeptFiles } from './kept-files.ts';
import type { WorkbookTable } from './sql.ts';
import { defaultName, mainBranch, mainBranchNo, workbookNameFault } from './workbook.ts';

/**
 * The journal for the first operations of a workbook. A resolved submit is durable. Branches are on
 * a higher rung, so they come in through this.
 */
export interface FirstJournal<Sheet> {
  submit(
    address: { workbookId: string; branchNo: number },
    request: {
      principalId: string;
      writer: string;
      ops: readonly Operation[];
      byteCount: number;
      formulaOrigin: FormulaOrigin | undefined;
    },
  ): Promise<{
    readonly results: readonly { readonly status: string; readonly error?: RejectionError }[];
  }>;
  outline(address: {
    workbookId: string;
    branchNo: number;
  }): Promise<{ readonly head: number; readonly sheets: readonly Sheet[] }>;
}

/**
 * The content of a new workbook: chunks of operations, and at the end the parts that were left out.
 */
export type Beginning = AsyncGenerator<readonly Operation[], FileEnd>;

type Address = Parameters<FirstJournal<unknown>['outline']>[0];

export interface CreationRequest {
  readonly principal: Principal;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly beginning: Beginning;
  /** Origin of its formulas: a person, unless it says otherwise. */
  readonly formulaOrigin?: FormulaOrigin;
  /** Keeps the answer in the transaction that makes the workbook visible. */
  readonly settle?: Settle<CreatedWorkbook<unknown>> | undefined;
  /** Decides on an operation that is rejected: fails the creation, or lists it as dropped. */
  readonly whenRejected: (operation: Operation, error: RejectionError) => DroppedPart;
}

export interface CreatedWorkbook<Sheet> {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly branch: string;
  readonly head: number;
  readonly sheets: readonly Sheet[];
  readonly dropped: readonly DroppedPart[];
}

export interface CreationParts<Sheet> {
  readonly table: WorkbookTable;
  readonly journal: FirstJournal<Sheet>;
  readonly keptFiles: Pick<KeptFiles, 'keep' | 'removeAll'>;
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
}

/** A workbook that is not visible yet. */
interface BegunWorkbook {
  readonly id: string;
  readonly first: IteratorResult<readonly Operation[], FileEnd>;
  /** True when there may be objects of it; set before they are stored. */
  hasKept: boolean;
}

/** Makes workbooks. One is seen once all of its first operations are durable, or not at all. */
export class WorkbookCreation<Sheet> {
  readonly #parts: CreationParts<Sheet>;

  constructor(parts: CreationParts<Sheet>) {
    this.#parts = parts;
  }

  async create(request: CreationRequest): Promise<CreatedWorkbook<Sheet>> {
    try {
      return await this.#make(request);
    } finally {
      // The producer of the operations may be waiting for the next request.
      await request.beginning.return({ dropped: [] });
    }
  }

  async #make(request: CreationRequest): Promise<CreatedWorkbook<Sheet>> {
    const { table, environment, report } = this.#parts;
    const { principal, beginning } = request;
    const id = makeId('wb_', environment);
    const name = request.name ?? defaultName(id);
    const namespace = ownNamespace(request.namespace, principal);
    checkName(name);
    // A file that cannot be read fails here, before there is anything to take back.
    const first = await beginning.next();
    const isBegun = await table.begin({ id, ownerId: principal.userId, namespace, name });
    if (!isBegun) throw nameTaken(namespace, name);
    const begun = { id, first, hasKept: false };
    try {
      const { head, sheets, dropped } = await this.#fill(begun, request);
      const made = { id, name, namespace, branch: mainBranch, head, sheets, dropped };
      const { settle } = request;
      const isMade = await table.complete(id, settle && ((sql) => settle(sql, made)));
      if (!isMade) throw nameTaken(namespace, name);
      return made;
    } catch (error) {
      // If this fails too, the sweep at a later start removes the invisible workbook.
      await this.#remove(begun).catch((cause: unknown) => {
        report('remove a workbook half made', cause);
      });
      throw error;
    }
  }

  async #remove({ id, hasKept }: BegunWorkbook): Promise<void> {
    const { table, keptFiles } = this.#parts;
    // One whose completion was not heard of may be there after all, and needs its files.
    const isRemoved = await table.remove(id);
    if (hasKept && isRemoved) await keptFiles.removeAll(id);
  }

  async #fill(
    begun: BegunWorkbook,
    request: CreationRequest,
  ): Promise<{ head: number; sheets: readonly Sheet[]; dropped: readonly DroppedPart[] }> {
    const { journal } = this.#parts;
    const { principal, beginning, whenRejected } = request;
    const { userId } = principal;
    const { id, first } = begun;
    const address = { workbookId: id, branchNo: mainBranchNo };
    const rejected: DroppedPart[] = [];
    let step = first;
    while (step.done !== true) {
      const ops = step.value;
      const submission = {
        principalId: userId,
        writer: userId,
        ops,
        byteCount: 0,
        formulaOrigin: request.formulaOrigin,
      };
      const { results } = await journal.submit(address, submission);
      for (const [index, { error }] of results.entries()) {
        const operation = ops[index];
        if (error && capCodes.has(error.code)) throw overCap(error);
        if (error && operation) rejected.push(whenRejected(operation, error));
      }
      step = await beginning.next();
    }
    const { dropped, kept } = step.value;
    begun.hasKept = kept !== undefined;
    const lost = kept && !(await this.#keep(id, kept)) ? await this.#letGo(address, userId) : [];
    const { head, sheets } = await journal.outline(address);
    return { head, sheets, dropped: [...dropped, ...lost, ...rejected] };
  }

  /** Returns whether the parts are durable: a workbook can do without what its file looked like. */
  async #keep(id: string, kept: KeptParts): Promise<boolean> {
    const { keptFiles, report } = this.#parts;
    try {
      await keptFiles.keep(id, kept);
      return true;
    } catch (cause) {
      report('keep charts and images of a file', cause);
      return false;
    }
  }

  /** Takes back the name of parts that were not stored. */
  async #letGo(address: Address, userId: string): Promise<DroppedPart[]> {
    const payload = { path: 'file.parts', value: '' } as const;
    const ops: Operation[] = [{ kind: 'settings.set', payload }];
    const from = { principalId: userId, writer: userId, formulaOrigin: undefined };
    await this.#parts.journal.submit(address, { ...from, ops, byteCount: 0 });
    const why = 'the object store did not take them';
    return [{ what: 'charts and images', count: 1, why }];
  }
}

/** A workbook over a cap is not made at all: a part of it would be of no use. */
const capCodes: ReadonlySet<RejectionError['code']> = new Set<RejectionError['code']>([
  'too_many_cells',
  'workbook_too_large',
]);

/** Cells that were in it already have gone with it. */
function overCap({ message, hint, limit, used = 0, usedHere = 0, max }: RejectionError): Failure {
  return new Failure('planCap', {
    detail: `The workbook is not made: ${message}`,
    hint,
    extra: { limit, used: limit === 'cells' ? used - usedHere : used, max },
  });
}

function ownNamespace(asked: string | undefined, principal: Principal): string {
  if (asked === undefined || asked === principal.namespace) return principal.namespace;
  throw new Failure('forbidden', {
    detail: `You may not make workbooks in the namespace ${asked}.`,
    hint: `Leave namespace out, or send "${principal.namespace}".`,
  });
}

export function checkName(name: string): void {
  const message = workbookNameFault(name);
  if (message === undefined) return;
  throw new Failure('invalidRequest', {
    detail: `/name: ${message}.`,
    errors: [{ pointer: '/name', code: 'bad_name', message }],
  });
}

export function nameTaken(namespace: string, name: string): Failure {
  return new Failure('nameTaken', {
    detail: `There is a workbook ${namespace}/${name} already.`,
    hint: 'Choose another name, or leave it out to be given one.',
  });
}
