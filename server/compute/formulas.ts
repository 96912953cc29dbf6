import type { FormulaService } from '../model/formula-service.ts';
import { Formulas } from '../../workers/formulas.ts';

/** The formula language for the serving thread: it answers at once, from a small kernel of its own. */
export function createFormulas(): FormulaService {
  return new Formulas();
}
