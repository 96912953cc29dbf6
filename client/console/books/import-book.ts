import { Problem, type Service } from '../service.ts';

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
export async function importBook(service: Service, file: File): Promise<string> {
  const [, stem = '', ending = ''] = /^(.*)\.([^.]*)$/u.exec(file.name) ?? [];
  const type = fileTypes[ending.toLowerCase()];
  if (type === undefined) {
    throw new Error(`${file.name} is neither .xlsx nor .csv: save it as one of them.`);
  }
  const blob = new Blob([file], { type });
  for (let tries = 1; ; tries++) {
    const name = `${stem.slice(0, 90) || 'Imported'}${tries === 1 ? '' : ` (${tries})`}`;
    try {
      const query = new URLSearchParams({ name });
      return (await service.ask<{ id: string }>(`/v1/workbooks?${query}`, { file: blob })).id;
    } catch (error) {
      // Another workbook has the name already.
      const isTaken = error instanceof Problem && error.status === 409;
      if (!isTaken || tries === triesMost) throw error;
    }
  }
}
