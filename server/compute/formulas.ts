import type { FormulaService } from '../model/formula-service.ts';
import { Formulas } from '../../workers/formulas.ts';

/** Makes the formula language for the serving thread, with a small kernel that answers at once. */
export function createFormulas(): FormulaService {
  return new Formulas();
}
