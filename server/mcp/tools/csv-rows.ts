import { parse } from 'csv-parse/sync';

import { Failure } from '../../model/failure.ts';
import type { WireInput } from '../../model/input.ts';
import { asSentence } from '../../model/sentence.ts';

/** Read on the serving thread: files that are longer are for POST /v1/workbooks. */
const charactersMost = 512 * 1024;

/** Reads the fields of a CSV as texts, which are later read as typed. */
export function parseCsvRows(text: string, pointer: string): WireInput[][] {
  if (text.length > charactersMost) {
    throw refused(pointer, `A CSV has at most ${charactersMost} characters here: send several.`);
  }
  try {
    const options = { relax_column_count: true, relax_quotes: true, bom: true } as const;
    return parse(text, options);
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw refused(pointer, asSentence(`The CSV is damaged: ${cause.message}`));
  }
}

function refused(pointer: string, message: string): Failure {
  return new Failure('invalidRequest', {
    detail: `${pointer}: ${message}`,
    errors: [{ pointer, code: 'invalid_csv', message }],
  });
}
