import type { Service } from './service.ts';

interface Trial {
  readonly book: string;
  /** Branch where the trial begins. */
  readonly from: string;
}

/** Does something on a temporary branch, which is deleted afterwards, and returns the result. */
export async function tryOnBranch<Answer>(
  service: Service,
  { book, from }: Trial,
  work: (branch: string) => Promise<Answer>,
): Promise<Answer> {
  const branches = `/v1/workbooks/${book}/branches`;
  const name = `preview-${crypto.randomUUID().slice(0, 8)}`;
  await service.ask(branches, { body: { name, from } });
  try {
    return await work(name);
  } finally {
    await service.ask(`${branches}/${name}`, { method: 'DELETE' });
  }
}
