import { makeId } from '../model/identifier.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { DroppedPart } from '../model/file-reader.ts';
import type { Operation } from '../model/operation.ts';
import type { RejectionError } from '../model/rejection.ts';
import type { Principal } from '../model/scope.ts';
import type { WorkbookTable } from './sql.ts';
import { defaultName, mainBranch, mainBranchNo, workbookNameFault } from './workbook.ts';

/**
 * Where the first operations of a workbook go. A resolved submit is durable. Branches are on a
 * higher rung, so they come in through this.
 */
export interface FirstJournal<Sheet> {
  submit(
    address: { workbookId: string; branchNo: number },
    request: {
      principalId: string;
      writer: string;
      ops: readonly Operation[];
      byteCount: number;
    },
  ): Promise<{
    readonly results: readonly { readonly status: string; readonly error?: RejectionError }[];
  }>;
  summary(address: {
    workbookId: string;
    branchNo: number;
  }): Promise<{ readonly head: number; readonly sheets: readonly Sheet[] }>;
}

/** What a new workbook begins with: chunks of operations, and at the end what was left out. */
export type Beginning = AsyncGenerator<readonly Operation[], readonly DroppedPart[]>;

export interface CreationRequest {
  readonly principal: Principal;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly beginning: Beginning;
  /** Of an operation that is rejected: fails the creation, or lists it as dropped. */
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
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
}

/** Makes workbooks. One is seen once all of its first operations are durable, or not at all. */
export class WorkbookCreation<Sheet> {
  readonly #parts: CreationParts<Sheet>;

  constructor(parts: CreationParts<Sheet>) {
    this.#parts = parts;
  }

  async create(request: CreationRequest): Promise<CreatedWorkbook<Sheet>> {
    const { table, environment, report } = this.#parts;
    const { principal, beginning } = request;
    const id = makeId('wb_', environment);
    const name = request.name ?? defaultName(id);
    const namespace = ownNamespace(request.namespace, principal);
    checkName(name);
    if (await table.findByAddress(namespace, name)) throw nameTaken(namespace, name);
    // A file that cannot be read fails here, before there is anything to take back.
    const first = await beginning.next();
    await table.begin({ id, ownerId: principal.userId, namespace, name });
    try {
      const { head, sheets, dropped } = await this.#fill(id, first, request);
      if (!(await table.complete(id))) throw nameTaken(namespace, name);
      return { id, name, namespace, branch: mainBranch, head, sheets, dropped };
    } catch (error) {
      // If this fails too, the sweep at a later start removes what nobody ever saw.
      await table
        .remove(id)
        .catch((cause: unknown) => report('remove a workbook half made', cause));
      throw error;
    }
  }

  async #fill(
    id: string,
    first: IteratorResult<readonly Operation[], readonly DroppedPart[]>,
    request: CreationRequest,
  ): Promise<{ head: number; sheets: readonly Sheet[]; dropped: readonly DroppedPart[] }> {
    const { journal } = this.#parts;
    const { principal, beginning, whenRejected } = request;
    const { userId } = principal;
    const address = { workbookId: id, branchNo: mainBranchNo };
    const rejected: DroppedPart[] = [];
    let step = first;
    while (step.done !== true) {
      const ops = step.value;
      const submission = { principalId: userId, writer: userId, ops, byteCount: 0 };
      const { results } = await journal.submit(address, submission);
      for (const [index, { error }] of results.entries()) {
        const operation = ops[index];
        if (error && operation) rejected.push(whenRejected(operation, error));
      }
      step = await beginning.next();
    }
    const { head, sheets } = await journal.summary(address);
    return { head, sheets, dropped: [...step.value, ...rejected] };
  }
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
