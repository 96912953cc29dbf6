import { Problem, type Service } from '../service.ts';
import { upload, type Upload } from './upload.ts';

const fileTypes: Readonly<Record<string, string>> = {
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv',
};

/** Endings of files that become a workbook. */
export const importedEndings = Object.keys(fileTypes)
  .map((ending) => `.${ending}`)
  .join(',');

const triesMost = 20;

/** Makes a workbook of a file and with its name; returns the id of the workbook. */
export async function importBook(
  service: Service,
  file: File,
  told: Omit<Upload, 'file'>,
): Promise<string> {
  const [, stem = '', ending = ''] = /^(.*)\.([^.]*)$/u.exec(file.name) ?? [];
  const type = fileTypes[ending.toLowerCase()];
  if (type === undefined) {
    throw new Error(`${file.name} is neither .xlsx nor .csv: save it as one of them.`);
  }
  const blob = new Blob([file], { type });
  for (let tries = 1; ; tries++) {
    const name = `${stem.slice(0, 90) || 'Imported'}${tries === 1 ? '' : ` (${tries})`}`;
    try {
      const path = `/v1/workbooks?${new URLSearchParams({ name })}`;
      const made = await upload(service, path, { file: blob, ...told });
      return (made as { readonly id: string }).id;
    } catch (error) {
      // Another workbook has the name already.
      const isTaken = error instanceof Problem && error.status === 409;
      if (!isTaken || tries === triesMost) throw error;
    }
  }
}
