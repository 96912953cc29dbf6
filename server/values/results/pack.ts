import type { Pool } from '../../compute/pool.ts';
import { KernelFault } from '../../../workers/kernel-instance.ts';
import { blockCells } from '../../../workers/value-block.ts';
import type { ModelView } from '../model.ts';

export interface PackParts {
  readonly pool: Pick<Pool, 'run'>;
  readonly signal?: AbortSignal;
}

const packMilliseconds = 30_000;

/** Packs an evaluated model into blocks in the pool; the view must not be used meanwhile. */
export async function* packModel(
  view: ModelView,
  { pool, signal }: PackParts,
): AsyncGenerator<Uint8Array> {
  const total = view.kernel.valueCount;
  const sheets = view.sheets.all.map(({ key, name }) => [key, name] as const);
  const loan = view.lend();
  for (let offset = 0; offset < total; offset += blockCells) {
    const options = { timeoutMilliseconds: packMilliseconds, ...(signal && { signal }) };
    const task = { loan, sheets, offset, cellsMost: Math.min(blockCells, total - offset) };
    const packed = await pool.run('packValues', task, options);
    if (!packed.ok) throw new KernelFault(packed.fault);
    yield packed.bytes;
  }
}
