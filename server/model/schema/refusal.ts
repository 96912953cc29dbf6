import { Failure, type FieldError } from '../failure.ts';
import { faultsMost, type Walk } from './walk.ts';

/** The failure that answers a body with faults. */
export function bodyFailure({ faults }: Pick<Walk, 'faults'>, isLenient = false): Failure {
  if (isLenient) return leniently(faults);
  const isUnknown = faults.every(({ code }) => code === 'unknown_member');
  return new Failure(isUnknown ? 'unknownMember' : 'invalidRequest', described(faults));
}

/** The first fault in a sentence, and all of them as a list. */
export function described(faults: readonly FieldError[]): {
  detail?: string;
  errors: FieldError[];
} {
  const errors = faults.map(({ pointer, code, message }) => ({ pointer, code, message }));
  const [first] = errors;
  if (first === undefined) return { errors };
  const where = first.pointer === '' ? 'The body' : first.pointer;
  return { detail: `${where}: ${first.message}${moreText(faults.length - 1)}`, errors };
}

function moreText(count: number): string {
  if (count === 0) return '';
  const amount = count + 1 === faultsMost ? `At least ${count}` : String(count);
  return ` ${amount} more ${count === 1 ? 'place is' : 'places are'} wrong.`;
}

/** The identity service names fields by `path` in `data`. */
function leniently(faults: readonly FieldError[]): Failure {
  const fields = faults.map(({ pointer, message }) => {
    return { path: pointer.slice(1).replaceAll('/', '.'), message };
  });
  const [first] = fields;
  const detail = first && `${first.path === '' ? 'The body' : first.path}: ${first.message}`;
  return new Failure('invalidRequest', { ...(detail && { detail }), extra: { fields } });
}
