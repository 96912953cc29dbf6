import { textIs } from '../memory/text';

/** The truth a text spells: 1 for TRUE, 0 for FALSE in any case, -1 for anything else. */
export function textToBoolean(text: usize): i32 {
  if (textIs(text, 'TRUE')) return 1;
  if (textIs(text, 'FALSE')) return 0;
  return -1;
}
