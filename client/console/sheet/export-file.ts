import { saveFile } from '../shell/save-file.ts';
import type { SheetSession } from './sheet-session.ts';

export type ExportFormat = 'xlsx' | 'csv';

/** Saves the workbook as a file, or the sheet that is shown, or tells why that is not possible. */
export async function exportFile(session: SheetSession, format: ExportFormat): Promise<void> {
  try {
    await makeFile(session, format);
  } catch (fault) {
    session.clipboard.tell((fault as Error).message);
  }
}

async function makeFile(session: SheetSession, format: ExportFormat): Promise<void> {
  const { clipboard, service, source, place } = session;
  if (session.waitingCount > 0) {
    return clipboard.tell('Edits are still on their way: export when all is saved.');
  }
  const { workbookId, sheet, ref } = source;
  clipboard.tell(`Making an .${format} file…`);
  const { name } = await service.ask<{ readonly name: string }>(`/v1/workbooks/${workbookId}`);
  const at = session.isHead ? place.at.branch : ref;
  const query = new URLSearchParams({ format, ...(format === 'csv' && { sheet, as: 'shown' }) });
  const { blob, dropped } = await service.askFile(
    `/v1/workbooks/${workbookId}/branches/${encodeURIComponent(at)}/export?${query}`,
  );
  const title = format === 'csv' ? `${name || workbookId} - ${sheet}` : name || workbookId;
  const file = `${title.replaceAll(/[\p{Cc}"*/:<>?\\|]/gu, '_')}.${format}`;
  saveFile(blob, file);
  const lacking = dropped.map(({ what, count }) => `${count} ${what}`).join(', ');
  clipboard.tell(`${file} is made${lacking === '' ? '.' : `, without ${lacking}.`}`);
}
