import type { RunningService } from '../service/running-service.ts';

export interface WideSheet {
  readonly workbookId: string;
  readonly ref: string;
  readonly rowCount: number;
  readonly columnCount: number;
}

const columnPairs = 10;

/** Makes a sheet of alternating texts and numbers, twenty columns wide, which 1,600 pixels show. */
export async function makeWideSheet(service: RunningService, rowCount: number): Promise<WideSheet> {
  const lines = Array.from(
    { length: rowCount },
    (_, row) => `item ${row + 1},${((row * 7_919) % 1_000_000) / 100}`,
  );
  const made = await fetch(`${service.url}/v1/workbooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.credential}`, 'content-type': 'text/csv' },
    body: lines.join('\n'),
  });
  if (!made.ok) throw new Error(await made.text());
  const { id: workbookId } = (await made.json()) as { id: string };
  const path = `/v1/workbooks/${workbookId}`;
  let head = 0;
  for (let pair = 1; pair < columnPairs; pair++) {
    const to = `${letter(2 * pair)}1:${letter(2 * pair + 1)}${rowCount}`;
    const payload = { sheet: 'Sheet1', source: `A1:B${rowCount}`, to };
    const ops = [{ kind: 'range.copy', payload }];
    const body = { writer: 'bench', ops };
    ({ head } = (await service.ask(`${path}/branches/main/ops`, body)) as { head: number });
  }
  // The first read builds the model, so that no page waits for it.
  await service.ask(`${path}/slice?range=Sheet1!A1:B2&ref=main@${head}`);
  return { workbookId, ref: `main@${head}`, rowCount, columnCount: 2 * columnPairs };
}

function letter(column: number): string {
  return String.fromCodePoint(65 + column);
}
