import { LRUCache } from 'lru-cache';

import { FedDictionary } from '../server/state/sharing/fed-dictionary.ts';
import {
  receiveStates,
  type ReceivedStates,
  type SharedStates,
} from '../server/state/sharing/shared-states.ts';
import { Formulas } from './formulas.ts';

/** States that a task is about. */
export interface StatesTask {
  /** Name of the dictionary of the states, the same for all tasks that share it. */
  readonly dictionary: string;
  readonly states: SharedStates;
}

/** Dictionaries that a thread keeps, for the next task about a workbook. */
const dictionariesMost = 2;
const dictionaries = new LRUCache<string, FedDictionary>({ max: dictionariesMost });
let formulas: Formulas | undefined;

/** Receives the states of a task. Nothing of their cells is copied before somebody reads it. */
export function receivedStates({ dictionary: name, states }: StatesTask): ReceivedStates {
  formulas ??= new Formulas();
  const dictionary = dictionaries.get(name) ?? new FedDictionary(formulas);
  dictionaries.set(name, dictionary);
  try {
    return finished(receiveStates(states, dictionary));
  } catch (error) {
    // A part of the dictionary may be missing.
    dictionaries.delete(name);
    throw error;
  }
}

/** Runs steps that nobody else waits for. */
export function finished<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
