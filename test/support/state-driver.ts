import { cellName, parseAddress } from '../../server/model/address.ts';
import type { FormulaService } from '../../server/model/formula-service.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { operationSchema, type Operation } from '../../server/model/operation.ts';
import { columnCount, parseRange, rowCount } from '../../server/model/range.ts';
import { Rejection } from '../../server/model/rejection.ts';
import { admit, replay, type Admitted } from '../../server/state/admission.ts';
import type { Author } from '../../server/state/operations/protection.ts';
import { BranchState } from '../../server/state/branch-state.ts';
import { ClientView } from '../../server/state/client-view.ts';
import { FormulaDouble } from './formula-double.ts';

interface SubmitOptions {
  readonly baseSeq?: number | undefined;
  readonly expect?: object;
  readonly strict?: boolean;
  readonly author?: Author;
}

/** Runs a state synchronously: operations in, results and mutations out. */
export class StateDriver {
  #state: BranchState;
  readonly admitted: Admitted[] = [];
  readonly #formulas: FormulaService;

  constructor(formulas: FormulaService = new FormulaDouble()) {
    this.#formulas = formulas;
    this.#state = new BranchState(1, formulas);
  }

  get state(): BranchState {
    return this.#state;
  }

  /** Goes on with a state from elsewhere. */
  take(state: BranchState): void {
    this.#state = state;
  }

  /** Applies an operation; throws if it is rejected. */
  apply(kind: string, payload: object, baseSeq?: number): Admitted {
    const result = this.submit(kind, payload, { baseSeq });
    if (result instanceof Rejection) throw result;
    return result;
  }

  /** Applies operations of one submission, each of which sees the effects of those before it. */
  submitAll(operations: readonly { kind: string; payload: object }[], baseSeq: number): void {
    const structure = this.state.history.at(baseSeq, this.state.head);
    if (!structure) throw new Error(`no structure at ${baseSeq}`);
    const view = new ClientView(structure);
    for (const sent of operations) {
      const operation = operationSchema.parse(sent);
      const result = drive(admit(this.state, operation, { view, strict: undefined }));
      if (result instanceof Rejection) throw result;
      this.admitted.push(result);
    }
  }

  submit(kind: string, payload: object, options: SubmitOptions = {}): Admitted | Rejection {
    const { expect, strict, author } = options;
    const operation = operationSchema.parse({ kind, payload, ...(expect && { expect }) });
    const head = this.state.head;
    const base = options.baseSeq ?? head;
    const structure = this.state.history.at(base, head);
    if (!structure) throw new Error(`no structure at ${base}`);
    const view = new ClientView(structure);
    const strictSpan = strict === true ? { base, through: head } : undefined;
    const result = drive(
      admit(this.state, operation, { view, strict: strictSpan, ...(author && { author }) }),
    );
    if (!(result instanceof Rejection)) this.admitted.push(result);
    return result;
  }

  read(a1: string, sheet = 0): unknown {
    const outline = this.state.structure.sheets[sheet];
    if (!outline) throw new Error('no such sheet');
    const address = parseAddress(a1);
    if (!address) throw new Error(`${a1} is no address`);
    const input = this.state.inputAt(outline, address.row, address.column);
    const isFormula = typeof input === 'object' && input !== null && 'formula' in input;
    return isFormula ? input.formula : input;
  }

  /** Returns the inputs of the cells in a range, row by row. */
  rows(range: string, sheet = 0): unknown[][] {
    const area = parseRange(range);
    if (!area) throw new Error(`${range} is no range`);
    return Array.from({ length: rowCount(area) }, (_, row) =>
      Array.from({ length: columnCount(area) }, (_, column) =>
        this.read(cellName(area.row0 + row, area.column0 + column), sheet),
      ),
    );
  }

  /** Returns a state replayed from the journal records. */
  replayed(): { state: BranchState; mutations: Mutation[][] } {
    const state = new BranchState(1, this.#formulas);
    const mutations = this.admitted.map(({ kind, payload, resolved }) => {
      const operation = JSON.parse(JSON.stringify({ kind, payload })) as Operation;
      return [...drive(replay(state, operation, resolved))];
    });
    return { state, mutations };
  }
}

export function drive<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
