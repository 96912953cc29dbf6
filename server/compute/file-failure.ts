import { Failure, type FailureKey } from '../model/failure.ts';
import type { FileProblemCode } from '../../workers/files/file-problem.ts';
import type { ImportProblem } from '../../workers/files/import-file.ts';

const failureOf: Readonly<Record<FileProblemCode, FailureKey>> = {
  file_not_xlsx: 'invalidFile',
  file_not_csv: 'invalidFile',
  file_broken: 'invalidFile',
  file_encrypted: 'unsupportedFile',
  file_too_large: 'fileTooLarge',
};

/** The failure that a bad file is answered with. */
export function fileFailure({ code, message, hint }: ImportProblem): Failure {
  return new Failure(failureOf[code], { detail: message, hint });
}
